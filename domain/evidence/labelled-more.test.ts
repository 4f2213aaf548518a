import { expect, test } from 'vitest';
import { groundTable } from './ground.ts';

const page = (title: string, text: string) => ({ url: `u:${title}`, title, text, ref: title });
/** A cell and whether the pages support it. */
type Row = [cell: string, supported: boolean][];

/** Elements, universities, Chinese companies: rows that start with codes, lists with semicolons, partial names. */
const cases: { columns: string[]; pages: ReturnType<typeof page>[]; rows: Row[] }[] = [
  {
    columns: ['Element', 'Symbol', 'Atomic number', 'Discovered by', 'Year of discovery', 'Melting point'],
    pages: [
      page(
        'Iron',
        'Iron is a chemical element. It has symbol Fe and atomic number 26. It melts at 1538 °C. Iron was known in antiquity.',
      ),
      page(
        'Gallium | Encyclopaedia',
        '## Properties\n\n- Symbol: Ga\n- Atomic number: 31\n- Melting point: 29.76 °C\n- Discovery: Paul-Émile Lecoq de Boisbaudran (1875)\n\nDmitri Mendeleev had predicted it in 1871. Gallium arsenide melts at 1238 °C.',
      ),
      page(
        'Periodic table data',
        '| Z | Symbol | Element | Discoverer | Discovered |\n|---|---|---|---|---|\n| 72 | Hf | Hafnium | D. Coster and G. de Hevesy | 1923 |\n| 73 | Ta | Tantalum | A. G. Ekeberg | 1802 |\n| 26 | Fe | Iron | | |',
      ),
    ],
    rows: [
      [
        ['Iron', true],
        ['Fe', true],
        ['26', true],
        ['Newton', false],
        ['1538', false],
        ['1,538 °C', true],
      ],
      [
        ['Gallium', true],
        ['Ga', true],
        ['31', true],
        ['Lecoq de Boisbaudran', true],
        ['1875', true],
        ['29.76 °C', true],
      ],
      [
        ['Gallium', true],
        ['As', false],
        ['29', false],
        ['Dmitri Mendeleev', false],
        ['1871', false],
        ['1238 °C', false],
      ],
      [
        ['Hafnium', true],
        ['Hf', true],
        ['72', false],
        ['Dirk Coster, George de Hevesy', false],
        ['1923', true],
        ['', false],
      ],
      [
        ['Tantalum', true],
        ['Hf', false],
        ['72', false],
        ['A. G. Ekeberg', true],
        ['1923', false],
        ['', false],
      ],
    ],
  },
  {
    columns: ['University', 'City', 'Founded', 'Students', 'President'],
    pages: [
      page(
        'University of Springfield - Wikipedia',
        'The University of Springfield is a public university in Springfield, Ohio. Established in 1884, it enrolls 23,405 students. In 1950 it absorbed Lakeside College. Its president is Jane A. Roe; her predecessor was Tom Poe.',
      ),
      page(
        'Lakeside College',
        'Lakeside College was a small college in Dover. It was founded in 1901 and closed in 1950.',
      ),
      page(
        'Best universities 2024',
        '1. Northfield Institute of Technology — Northfield; founded 1910; 9,120 students\n2. University of Springfield — Springfield; founded 1884\n3. Northfield Institute — Eastport; founded 1999; 812 students',
      ),
    ],
    rows: [
      [
        ['University of Springfield', true],
        ['Springfield', true],
        ['1884', true],
        ['23405', true],
        ['Jane A. Roe', true],
      ],
      [
        ['University of Springfield', true],
        ['Dover', false],
        ['1950', false],
        ['3,405', false],
        ['Tom Poe', false],
      ],
      [
        ['Lakeside College', true],
        ['Dover', true],
        ['1901', true],
        ['23405', false],
        ['Jane A. Roe', false],
      ],
      [
        ['Northfield Institute of Technology', true],
        ['Northfield', true],
        ['1910', true],
        ['9120', true],
        ['', false],
      ],
      [
        ['Northfield Institute', true],
        ['Northfield', false],
        ['1910', false],
        ['9,120', false],
        ['', false],
      ],
      [
        ['Northfield Institute', true],
        ['Eastport', true],
        ['1999', true],
        ['812', true],
        ['', false],
      ],
    ],
  },
  {
    columns: ['公司', '总部', '成立时间', '员工人数', '创始人'],
    pages: [
      page(
        '星河科技_百度百科',
        '星河科技是一家中国科技公司，总部位于深圳，成立于1998年11月11日，创始人为马小明、张三丰。截至2023年，员工人数为11.2万人。',
      ),
      page(
        '蓝海集团',
        '| 项目 | 内容 |\n|---|---|\n| 总部 | 杭州 |\n| 成立时间 | 2003年5月 |\n| 员工人数 | 20,405 |',
      ),
      page('科技公司名单', '- 星河科技集团：总部在北京\n- 白云网络：总部在广州，2010年成立'),
    ],
    rows: [
      [
        ['星河科技', true],
        ['深圳', true],
        ['1998-11-11', true],
        ['112,000', true],
        ['马小明；张三丰', true],
      ],
      [
        ['星河科技', true],
        ['北京', false],
        ['2023', false],
        ['1998', false],
        ['李四', false],
      ],
      [
        ['蓝海集团', true],
        ['杭州', true],
        ['2003年', true],
        ['20405', true],
        ['', false],
      ],
      [
        ['白云网络', true],
        ['广州', true],
        ['2010', true],
        ['405', false],
        ['', false],
      ],
      [
        ['白云网络', true],
        ['杭州', false],
        ['2003', false],
        ['20405', false],
        ['', false],
      ],
    ],
  },
];

test('labelled cells: none is supported wrongly; a discoverer by half of his name is missed', () => {
  const wrong: string[] = [];
  const missed: string[] = [];
  for (const { columns, pages, rows } of cases) {
    const evidence = groundTable({ columns, rows: rows.map((row) => row.map(([cell]) => cell)) }, pages);
    rows.flat().forEach(([cell, label], at) => {
      const supported = evidence[at]?.status === 'supported';
      if (supported && !label) wrong.push(cell);
      if (!supported && label) missed.push(cell);
    });
  }
  expect({ wrong, missed }).toEqual({ wrong: [], missed: ['Lecoq de Boisbaudran'] });
});
