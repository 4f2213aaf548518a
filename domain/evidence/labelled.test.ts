import { expect, test } from 'vitest';
import type { Table } from '../run.ts';
import { groundTable } from './ground.ts';
import type { EvidencePage } from './corpus.ts';

/** Pages written by hand; the traps are named beside the cells. */
const page = (title: string, text: string): EvidencePage => ({
  url: `https://wiki.test/${encodeURIComponent(title)}`,
  title,
  text,
  ref: `ref-${title}`,
});

const africa = [
  page(
    'Landlocked countries of Africa',
    'These countries have no coast:\n\n- Chad\n- Niger\n- Mali\n- Burkina Faso\n- Uganda\n\nSouth Sudan joined the list in 2011.',
  ),
  page(
    'Chad',
    "Chad is a landlocked country in Central Africa. It became independent from France on 11 August 1960.\n\nCapital: N'Djamena\nArea: 1,284,000 km²\nOfficial languages: French, Arabic\nCurrency: Central African CFA franc\n\nLake Chad lies on its western border. Moundou is the second largest city.",
  ),
  page(
    'Niger',
    'Niger is named after the Niger River.\n\n| Attribute | Value |\n|---|---|\n| Capital | Niamey |\n| Total area (km²) | 1267000 |\n| Official language | Hausa |\n\nNiger borders Nigeria, whose capital is Abuja. Independence came on 3 August 1960. The Niger River is 4180 km long.',
  ),
  page(
    'Nigeria',
    'Nigeria is the most populous country in Africa. Its area is 923,769 km² and its capital is Abuja. Its largest city is Lagos. Its currency is the naira.',
  ),
  page(
    'Mali - Country profile',
    'The capital of Mali is Bamako; Gao is in the north-east. Mali covers 1 240 192 square kilometres. It has 19 regions. The official currency is the West African CFA franc. In 1960 a federation with Senegal was dissolved.',
  ),
  page(
    'Equatorial Guinea',
    'Equatorial Guinea has an area of 28,051 km². The capital is Malabo. Spanish is an official language.',
  ),
  page(
    'African capitals',
    '| Country | Capital | Area (km²) | Population |\n|---|---|---|---|\n| Burkina Faso | Ouagadougou | 272,967 | 22,489,126 |\n| Guinea | Conakry | 245,857 | 13,865,691 |\n| Guinea-Bissau | Bissau | 36,125 | 2,078,820 |\n| Uganda | Kampala | 241,038 | 47,249,585 |\n| Togo (borders Ghana) | Lomé | 56,785 | 8,680,837 |',
  ),
];

type Row = readonly (readonly [cell: string, supported: boolean])[];
interface Case {
  columns: string[];
  rows: readonly Row[];
  pages: readonly EvidencePage[];
}

const cases: Case[] = [
  {
    columns: ['Country', 'Capital', 'Area (km²)', 'Official languages', 'Independence'],
    pages: africa,
    rows: [
      [
        ['Chad', true],
        ['N’Djamena', true],
        ['1284000', true],
        ['Arabic and French', true],
        ['1960-08-11', true],
      ],
      // Abuja: another entity's capital on this page; 4180: length of the river; French: not on the page
      [
        ['Niger', true],
        ['Abuja', false],
        ['1,267,000 km²', true],
        ['French', false],
        ['3 Aug 1960', true],
      ],
      // Lagos: the sentence says largest city; 92,376 is inside a longer number
      [
        ['Nigeria', true],
        ['Lagos', false],
        ['92,376', false],
        ['English', false],
        ['', false],
      ],
      // Gao is a city; 1,240,192 is written with spaces; 1960 is another event
      [
        ['Mali', true],
        ['Bamako', true],
        ['1,240,192', true],
        ['19', false],
        ['1960', false],
      ],
      // Guinea is not Equatorial Guinea and not Guinea-Bissau
      [
        ['Guinea', true],
        ['Malabo', false],
        ['36125', false],
        ['Spanish', false],
        ['', false],
      ],
      [
        ['Guinea-Bissau', true],
        ['Bissau', true],
        ['36125', true],
        ['', false],
        ['', false],
      ],
      // 22,489,126 is the population column
      [
        ['Burkina Faso', true],
        ['Ouagadougou', true],
        ['22489126', false],
        ['', false],
        ['', false],
      ],
      // Kampala stands one row further down
      [
        ['Togo', true],
        ['Kampala', false],
        ['56 785', true],
        ['', false],
        ['', false],
      ],
      [
        ['Ghana', false],
        ['Lomé', false],
        ['56785', false],
        ['', false],
        ['', false],
      ],
      // South Sudan is named, Sudan is not
      [
        ['Sudan', false],
        ['Khartoum', false],
        ['', false],
        ['', false],
        ['2011', false],
      ],
      [
        ['Uganda', true],
        ['kampala', true],
        ['241,038 mi²', false],
        ['', false],
        ['', false],
      ],
    ],
  },
  {
    columns: ['Film', 'Director', 'Year', 'Runtime', 'Oscars won'],
    pages: [
      page(
        'Heat (1995 film)',
        'Heat is a 1995 American crime film written and directed by Michael Mann. It runs for 170 minutes. Al Pacino plays a detective. It won 0 Oscars.',
      ),
      page(
        'Gladiator (2000 film)',
        'Gladiator is a 2000 epic directed by Ridley Scott. The film won 5 Oscars and was nominated for 12. Released: 5 May 2000. Russell Crowe was not paid 155 minutes late.',
      ),
      page(
        'Ridley Scott filmography',
        '* Alien (1979), with Sigourney Weaver\n* Heat is not among his films; Blade Runner (1982) is.',
      ),
    ],
    rows: [
      [
        ['Heat', true],
        ['Michael Mann', true],
        ['1995', true],
        ['170 min', true],
        ['0', true],
      ],
      // Al Pacino acts; 12 nominations are not wins
      [
        ['Heat', true],
        ['Ridley Scott', false],
        ['1982', false],
        ['70 min', false],
        ['1', false],
      ],
      [
        ['Gladiator', true],
        ['Ridley Scott', true],
        ['2000', true],
        ['170 min', false],
        ['5', true],
      ],
      [
        ['Gladiator', true],
        ['Russell Crowe', true],
        ['2000-05-05', true],
        ['', false],
        ['12', false],
      ],
      [
        ['Alien', true],
        ['Sigourney Weaver', true],
        ['1979', true],
        ['', false],
        ['', false],
      ],
    ],
  },
  {
    columns: ['国家', '首都', '面积（平方公里）', '人口', '独立日期'],
    pages: [
      page(
        '乍得',
        '乍得共和国位于非洲中部。首都：恩贾梅纳\n面积：１２８．４万平方公里\n乍得于1960年8月11日独立。人口约1720万。',
      ),
      page('几内亚比绍', '首都：比绍\n面积：36125平方公里\n人口：约207万'),
      page(
        '西非国家',
        '几内亚比绍和塞内加尔相邻。几内亚的首都是科纳克里，面积245857平方公里。尼日利亚首都为阿布贾。',
      ),
    ],
    rows: [
      [
        ['乍得', true],
        ['恩贾梅纳', true],
        ['1,284,000', true],
        ['17,200,000', true],
        ['1960-08-11', true],
      ],
      [
        ['几内亚比绍', true],
        ['比绍', true],
        ['36,125', true],
        ['2070000', true],
        ['', false],
      ],
      // the values of 几内亚比绍 do not support 几内亚
      [
        ['几内亚', true],
        ['比绍', false],
        ['36125', false],
        ['207万', false],
        ['', false],
      ],
      [
        ['几内亚', true],
        ['科纳克里', true],
        ['24585', false],
        ['', false],
        ['', false],
      ],
      // 尼日尔 is not 尼日利亚
      [
        ['尼日尔', false],
        ['阿布贾', false],
        ['', false],
        ['', false],
        ['', false],
      ],
    ],
  },
];

/** True and false positives and negatives over all labelled cells, with the cells that came out wrong. */
const judge = (): { right: number; wrong: string[]; missed: string[]; cells: number } => {
  const result = { right: 0, wrong: [] as string[], missed: [] as string[], cells: 0 };
  for (const { columns, rows, pages } of cases) {
    const table: Table = { columns, rows: rows.map((row) => row.map(([cell]) => cell)) };
    const evidence = groundTable(table, pages);
    rows.flat().forEach(([cell, label], at) => {
      const found = evidence[at];
      result.cells += cell === '' ? 0 : 1;
      const text = `${rows[found?.row ?? 0]?.[0]?.[0]} / ${found?.column} = ${cell}`;
      if (found?.status === 'supported') {
        if (label) result.right += 1;
        else result.wrong.push(`${text}: "${found.quote}"`);
      } else if (label) result.missed.push(text);
    });
  }
  return result;
};

test('labelled cells: no cell is supported wrongly and almost none is missed', () => {
  const { right, wrong, missed, cells } = judge();
  const recall = right / (right + missed.length);
  expect(cells).toBeGreaterThanOrEqual(40);
  expect(wrong).toEqual([]);
  expect({ recall: recall >= 0.9, missed }).toMatchObject({ recall: true });
});
