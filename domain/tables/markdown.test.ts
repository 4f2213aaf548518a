import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Table } from '../run.ts';
import { sameColumns } from './keys.ts';
import { extractTable, parseMarkdownTables, printMarkdown } from './markdown.ts';

const tables = (text: string): Table[] =>
  parseMarkdownTables(text).map(({ columns, rows }) => ({ columns, rows }));

const piece = fc.constantFrom(
  'a',
  'Zürich',
  '清华大学',
  '，',
  '|',
  '\\',
  '\n',
  '"',
  '<br>',
  '<BR/>',
  '<',
  ' ',
  '　',
  '-',
  ':',
  '`',
  '```',
  '~~~',
  '*',
  '>',
  '1,5',
);
const cell = fc
  .oneof(
    fc.array(piece, { maxLength: 6 }).map((parts) => parts.join('')),
    fc.string({ unit: 'grapheme', maxLength: 8 }),
  )
  .map((text) => text.replace(/\r\n?/g, '\n').trim());
const named = cell.filter((text) => text !== '');

const anyTable: fc.Arbitrary<Table> = fc.integer({ min: 1, max: 4 }).chain((width) =>
  fc
    .record({
      columns: fc.array(named, { minLength: width, maxLength: width }),
      rows: fc.array(fc.array(cell, { minLength: width, maxLength: width }), { maxLength: 5 }),
    })
    .map(({ columns, rows }) => ({
      columns,
      rows: rows.filter((row) => row.some((text) => text !== '') && tableKey(row) !== tableKey(columns)),
    })),
);
const tableKey = (cells: readonly string[]): string =>
  JSON.stringify(
    cells.map((text) =>
      printMarkdown({ columns: [text], rows: [] })
        .toLowerCase()
        .replaceAll(' ', ''),
    ),
  );

describe('printMarkdown and parseMarkdownTables', () => {
  it('are inverse for every table of trimmed cells', () => {
    fc.assert(
      fc.property(anyTable, (table) => {
        expect(tables(printMarkdown(table))).toEqual([table]);
      }),
      { numRuns: 2_000 },
    );
  });

  it('are inverse inside a fence and with prose around it', () => {
    fc.assert(
      fc.property(anyTable, (table) => {
        expect(tables(`Here it is.\n\n${printMarkdown(table)}\n\nThat is all.`)).toEqual([table]);
      }),
    );
  });

  it('never throw on any text', () => {
    const noise = fc
      .array(fc.oneof(piece, fc.constantFrom('|---|', '\r\n', '| a | b |\n', '```markdown\n')), {
        maxLength: 40,
      })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(noise, (text) => {
        for (const table of parseMarkdownTables(text)) {
          expect(table.rows.every((row) => row.length === table.columns.length)).toBe(true);
        }
        extractTable(text);
        extractTable(text, ['a', 'b']);
      }),
      { numRuns: 1_000 },
    );
  });

  it('take time linear in the text, also on hostile lines', () => {
    const rows = Array.from({ length: 20_000 }, (_, index) => [`row ${index}`, 'x|y', '"q"']);
    const table = { columns: ['a', 'b', 'c'], rows };
    const started = performance.now();
    expect(tables(printMarkdown(table))).toEqual([table]);
    parseMarkdownTables('```' + 'a'.repeat(200_000) + '`' + '`'.repeat(200_000));
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});

const CITIES = '| City | Country |\n| --- | --- |\n| Lyon | France |\n| Ghent | Belgium |';
const cities = {
  columns: ['City', 'Country'],
  rows: [
    ['Lyon', 'France'],
    ['Ghent', 'Belgium'],
  ],
};

describe('parseMarkdownTables', () => {
  it.each([
    ['bare', CITIES],
    ['fenced', '```markdown\n' + CITIES + '\n```'],
    ['tilde fence', '~~~\n' + CITIES + '\n~~~'],
    ['unclosed fence', 'Answer:\n```Markdown\n' + CITIES],
    ['fence that opens behind text', 'Answer: ```markdown\n' + CITIES + '\n```'],
    ['indented', '- Result:\n' + CITIES.replace(/^/gm, '  ')],
    ['block quote', CITIES.replace(/^/gm, '> ')],
    ['CRLF', CITIES.replaceAll('\n', '\r\n')],
    ['no outer pipes', 'City | Country\n---|---\nLyon | France\nGhent | Belgium'],
    ['header without its last pipe', CITIES.replace('Country |', 'Country')],
    ['prose with a pipe just above', 'Columns: City | Country | more.\n' + CITIES],
    ['title line inside the fence', '```\nTable 1\n' + CITIES + '\n```'],
    ['no delimiter row', '| City | Country |\n| Lyon | France |\n| Ghent | Belgium |'],
    ['repeated header', CITIES.replace('| Ghent', '| City | Country |\n| --- | --- |\n| Ghent')],
    ['blank line inside a fence', '```\n' + CITIES.replace('\n| Ghent', '\n\n| Ghent') + '\n```'],
    ['surplus blank cells', CITIES.replace('France |', 'France | | |')],
  ])('reads a table: %s', (_name, text) => {
    expect(tables(text)).toEqual([cities]);
  });

  it('finds nothing in prose, CSV, HTML or full-width bars', () => {
    for (const text of [
      'City | Country | Population\nLyon, France | 522250',
      '```csv\ncity,country\nLyon,France\n```',
      '<table><tr><td>Lyon</td></tr></table>',
      '｜城市｜省份｜\n｜---｜---｜\n｜青岛｜山东｜',
      '```ts\nconst a = b | c;\nconst d = e | f;\n```',
      '',
    ]) {
      expect(tables(text)).toEqual([]);
    }
  });

  it('splits tables of different width in one fence', () => {
    const two = '```markdown\n' + CITIES + '\n\n| A | B | C |\n|---|---|---|\n| 1 | 2 | 3 |\n```';
    expect(tables(two).map((table) => table.columns.length)).toEqual([2, 3]);
    expect(tables(two.replace('\n\n', '\n')).map((table) => table.columns.length)).toEqual([2, 3]);
  });

  it('keeps a row of dashes below data', () => {
    expect(tables(CITIES + '\n| --- | --- |')[0]?.rows).toHaveLength(3);
  });

  it('pads short rows and joins surplus cells into the last', () => {
    const text = '| a | b |\n|---|---|\n| 1 |\n| 2 | red|blue |';
    expect(tables(text)[0]?.rows).toEqual([
      ['1', ''],
      ['2', 'red|blue'],
    ]);
  });

  it('reads cells literally for the evaluator', () => {
    const text = '| a | b |\n|---|---|\n| x<br>y | \\\\ \\| "q |\n| "v" | w |';
    expect(parseMarkdownTables(text, { cells: 'literal' })[0]?.rows).toEqual([
      ['x<br>y', '\\\\ | "q'],
      ['v', 'w'],
    ]);
  });
});

describe('extractTable', () => {
  const other = '| Source | Year |\n|---|---|\n| INSEE | 2021 |\n| Statbel | 2021 |\n| BFS | 2020 |';

  it('prefers the last table with exactly the wanted columns', () => {
    const draft = CITIES.replace('Ghent', 'Draft');
    const text = `${draft}\n\n${CITIES}\n\n${other}`;
    expect(extractTable(text, [' country', 'CITY'])).toEqual(cities);
  });

  it('takes the closest table when none fits exactly', () => {
    expect(extractTable(`${CITIES}\n\n${other}`, ['year', 'source', 'link'])?.columns).toEqual([
      'Source',
      'Year',
    ]);
  });

  it('without wanted columns takes the last fenced table, else the largest', () => {
    expect(extractTable('```\n' + CITIES + '\n```\n\n' + other)).toEqual(cities);
    expect(extractTable(`${other}\n\n${CITIES}`)?.columns).toEqual(['Source', 'Year']);
    expect(extractTable('I could not find it.')).toBeNull();
  });
});

describe('sameColumns', () => {
  it('ignores order, case and spaces', () => {
    expect(sameColumns(['Full Name', 'x'], ['X', 'fullname'])).toBe(true);
    expect(sameColumns(['x'], ['x', 'y'])).toBe(false);
  });
});
