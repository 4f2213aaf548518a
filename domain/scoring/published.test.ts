import { expect, it } from 'vitest';
import {
  PUBLISHED,
  WIDESEARCH_COLUMNS,
  WIDESEARCH_OFFICIAL,
  WIDESEEK_QA,
  WIDESEEK_WIDESEARCH,
} from './published.ts';

it.each(PUBLISHED)('$id: every value lies in its column and is a percentage', ({ rows, columns }) => {
  for (const { system, values } of rows) {
    expect(Object.keys(values), system).toEqual([...columns]);
    for (const value of Object.values(values))
      if (value !== null) expect(value >= 0 && value <= 100).toBe(true);
  }
});

it('no maximum over samples lies below its mean', () => {
  for (const table of [WIDESEEK_WIDESEARCH, WIDESEARCH_OFFICIAL]) {
    for (const { values, system } of table.rows) {
      for (const name of ['Item F1', 'Row F1']) {
        const [avg, max] = [values[`${name} avg@4`], values[`${name} max@4`]];
        if (avg != null && max != null) expect(max, `${system} ${name}`).toBeGreaterThan(avg);
      }
    }
  }
});

it('holds the numbers that the authors derive from it', () => {
  const ours = (system: string, setting: string) =>
    WIDESEEK_WIDESEARCH.rows.find((row) => row.system === system && row.setting === setting)?.values[
      'Item F1 avg@4'
    ] ?? NaN;
  const wide = ours('WideSeek-R1-4B', 'multi-agent');
  expect(wide - ours('SingleSeek-R1-4B', 'single agent')).toBeCloseTo(11.9, 9);
  expect(wide - ours('Qwen3-4B', 'multi-agent')).toBeCloseTo(8.8, 9);
});

it('the printed averages of the question sets are the means of their columns', () => {
  for (const { values, system } of WIDESEEK_QA.rows) {
    const seven = WIDESEEK_QA.columns.slice(1).map((column) => values[column] ?? NaN);
    expect(Math.abs(seven.reduce((sum, x) => sum + x, 0) / 7 - (values['Avg'] ?? NaN)), system).toBeLessThan(
      0.1, // they average unrounded numbers
    );
  }
});

it('every column of the WideSearch table has a metric of ours', () => {
  expect(Object.keys(WIDESEARCH_COLUMNS)).toEqual([...WIDESEEK_WIDESEARCH.columns]);
});
