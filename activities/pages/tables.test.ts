import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDocument } from './dom.ts';
import { isDataTable, printTable } from './tables.ts';

const table = (inner: string) => {
  const found = parseDocument(`<body><table>${inner}</table></body>`).querySelector('table');
  if (!found) throw new Error('no table');
  return found;
};

describe('printTable', () => {
  it.each([
    ['pipes', '<tr><th>a|b<th>c<tr><td>1|2<td>3', '| a\\|b | c |\n| --- | --- |\n| 1\\|2 | 3 |'],
    [
      'a span to the end',
      '<tr><th>A<th>B<tr><td rowspan=0>x<td>1<tr><td>2',
      '| A | B |\n| --- | --- |\n| x | 1 |\n| x | 2 |',
    ],
    [
      'nonsense spans',
      '<tr><th colspan=-4>A<th rowspan=x>B<tr><td>1<td>2',
      '| A | B |\n| --- | --- |\n| 1 | 2 |',
    ],
    ['short rows', '<tr><th>A<th>B<th>C<tr><td>1', '| A | B | C |\n| --- | --- | --- |\n| 1 |  |  |'],
    [
      'a heading within',
      '<tr><th>A<th>B<tr><th colspan=2>Part one<tr><td>1<td>2',
      '| A | B |\n| --- | --- |\n| Part one |  |\n| 1 | 2 |',
    ],
    ['empty rows', '<tr><th>A<th>B<tr><td><td><tr><td>1<td>2', '| A | B |\n| --- | --- |\n| 1 | 2 |'],
  ])('%s', (_what, inner, expected) => expect(printTable(table(inner))).toBe(expected));

  it('gives every row the same number of cells, whatever the spans, in bounded size', () => {
    const cell = fc.record({
      row: fc.integer({ min: -1, max: 2_000 }),
      column: fc.integer({ min: -1, max: 2_000 }),
    });
    fc.assert(
      fc.property(
        fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 6 }),
        (rows) => {
          const inner = rows
            .map(
              (cells) =>
                `<tr>${cells.map(({ row, column }) => `<td rowspan=${row} colspan=${column}>x</td>`).join('')}</tr>`,
            )
            .join('');
          const lines = printTable(table(inner)).split('\n').filter(Boolean);
          expect(new Set(lines.map((line) => line.split(' | ').length)).size).toBeLessThanOrEqual(1);
          expect(lines.join('').length).toBeLessThan(20_000);
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe('isDataTable', () => {
  it.each([
    ['<tr><td>Menu<td>A long page of text', false],
    ['<tr><td>1<td>2<tr><td>3<td>4', true],
    ['<tr><th>A<th>B<tr><td>1<td>2', true],
    [`<tr><td>x<td>${'prose '.repeat(300)}<tr><td>y<td>z`, false],
  ])('%#', (inner, expected) => expect(isDataTable(table(inner))).toBe(expected));
});
