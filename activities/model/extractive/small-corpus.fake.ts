import type { FakePage } from './drive.fake.ts';

const page = (title: string, text: string): FakePage => ({
  url: `https://coast.example/${encodeURIComponent(title)}`,
  title,
  text,
});

/** A few invented pages in layouts unlike one another: lighthouses, colleges and rivers of places that do not exist. */
export const smallCorpus: FakePage[] = [
  page(
    'Lighthouses on the Varn coast',
    'Sailors have long relied on these towers.\n\n1. Skerry Point – the oldest\n2. Holm Rock – automated\n3. Tarn Head – a museum today\n4. Ness Light – still staffed',
  ),
  page('Lighthouses on the Ost coast', 'The Ost coast has two lights.\n\n* Gull Island\n* Pier Nine'),
  page(
    'Skerry Point',
    '**Height:** 31 m\n**Keeper:** none\n\nSkerry Point is a lighthouse. It was built in 1822. Its lamp was lit by Ada Moor.',
  ),
  page(
    'Holm Rock',
    '| Height | 44 metres |\n|---|---|\n| Operator | Coast Board |\n\nHolm Rock is a lighthouse on a reef. Builders finished the tower, built in 1871, after six years.',
  ),
  page(
    'Tarn Head',
    'Tarn Head is a lighthouse with a height of 18 m. It was built in 1905. Tarn Head is somewhat lower than Holm Rock (44 m).',
  ),
  page('Ness Light', 'Ness Light is a lighthouse. The height of the tower is 27 m.'),
  page('Tarn Head (band)', 'Tarn Head is a folk band. Height is also the title of its first album.'),
  page(
    'Colleges of Meridia',
    'Meridia has five colleges.\n\n| College | City | Founded |\n| --- | --- | --- |\n| Abbot Hall | Lune | 1710 |\n| Brook College | Sarn | 1894 |\n| Civic Institute | Lune | 1951 |\n| Dale School | Orm | 1888 |\n| Elm House | Sarn | 1962 |',
  ),
  ...(
    [
      ['Abbot Hall', '4,100', 'Rhea Cole'],
      ['Brook College', '2,050', 'Ivo Lang'],
      ['Civic Institute', '12,400', 'Mina Ford'],
      ['Dale School', '860', 'Otto Penn'],
      ['Elm House', '1,975', 'Zoe Hart'],
    ] as const
  ).map(([name, students, rector]) =>
    page(
      name,
      `${name} is a college in Meridia.\n\n## People\n\nThe rector is ${rector}. Number of students: ${students}`,
    ),
  ),
  page('河流列表', '北境的河流包括青河、白水和长溪。'),
  page('北境的河流', '北境有三条河流：\n\n- 青河\n- 白水\n- 长溪'),
  page('青河', '长度：120公里\n\n青河的河口是月湾。'),
  page('白水', '白水全长85公里，注入星湖。河口为星湖。'),
  page('长溪', '| 项目 | 内容 |\n| --- | --- |\n| 长度 | 240 公里 |\n| 河口 | 东海 |'),
];
