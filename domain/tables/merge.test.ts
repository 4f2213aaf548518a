import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Table } from '../run.ts';
import { normaliseKey } from './keys.ts';
import { stripMarkup } from './markup.ts';
import { mergeTables } from './merge.ts';

const cell = fc.constantFrom('', 'a', 'A', ' b', 'c', '**a**', '中');
const anyTable: fc.Arbitrary<Table> = fc
  .uniqueArray(fc.constantFrom('Name', 'name ', 'Year', 'Place', ''), { minLength: 1, maxLength: 4 })
  .chain((columns) =>
    fc
      .array(fc.array(cell, { minLength: columns.length, maxLength: columns.length }), { maxLength: 6 })
      .map((rows) => ({ columns, rows })),
  );

describe('mergeTables', () => {
  it('joins rows on the first column, first non-empty cell wins, new columns are added', () => {
    expect(
      mergeTables([
        {
          columns: ['City', 'Country'],
          rows: [
            ['Lyon', ''],
            ['Ghent', 'Belgium'],
          ],
        },
        {
          columns: ['country', 'CITY', 'Mayor'],
          rows: [
            ['France', ' lyon', 'Doucet'],
            ['Nowhere', '**Ghent**', 'X'],
            ['Italy', 'Turin', ''],
          ],
        },
      ]),
    ).toEqual({
      columns: ['City', 'Country', 'Mayor'],
      rows: [
        ['Lyon', 'France', 'Doucet'],
        ['Ghent', 'Belgium', 'X'],
        ['Turin', 'Italy', ''],
      ],
    });
  });

  it('uses the named key columns, all of them', () => {
    const rows = [
      ['2019', 'Film', 'a'],
      ['2020', 'Film', ''],
      ['2020', 'film', 'b'],
    ];
    expect(mergeTables([{ columns: ['Year', 'Award', 'Winner'], rows }], ['year', 'award']).rows).toEqual([
      ['2019', 'Film', 'a'],
      ['2020', 'Film', 'b'],
    ]);
  });

  it('keeps rows without a key apart and drops blank ones', () => {
    const table = {
      columns: ['k', 'v'],
      rows: [
        ['', '1'],
        ['', '2'],
        ['', '1'],
        ['', ' '],
      ],
    };
    expect(mergeTables([table]).rows).toEqual([
      ['', '1'],
      ['', '2'],
    ]);
  });

  it('is empty for no tables', () => {
    expect(mergeTables([])).toEqual({ columns: [], rows: [] });
  });

  it('is idempotent and ignores repeated tables', () => {
    fc.assert(
      fc.property(fc.array(anyTable, { maxLength: 3 }), (tables) => {
        const once = mergeTables(tables);
        expect(mergeTables([once])).toEqual(once);
        expect(mergeTables([...tables, ...tables])).toEqual(once);
      }),
    );
  });

  it('merges 40,000 rows in linear time', () => {
    const part = (start: number): Table => ({
      columns: ['k', 'v'],
      rows: Array.from({ length: 20_000 }, (_, index) => [`key ${start + index}`, 'v']),
    });
    const started = performance.now();
    expect(mergeTables([part(0), part(10_000)]).rows).toHaveLength(30_000);
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});

describe('normalisation', () => {
  it('sees one key in different spellings', () => {
    for (const text of [
      'New York',
      '**new york**',
      '[New York](https://x.org/a_(b))',
      'ＮＥＷ　ＹＯＲＫ',
      '_New_ `York`',
    ]) {
      expect(normaliseKey(text)).toBe('newyork');
    }
  });

  it('keeps names with underscores', () => {
    expect(stripMarkup('snake_case_name and __bold__ ![alt](x.png)')).toBe('snake_case_name and bold alt');
  });
});
