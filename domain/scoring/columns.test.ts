import { describe, expect, it } from 'vitest';
import type { Table } from '../run.ts';
import { fitColumns } from './columns.ts';
import { fakeJudge } from './judge/fake.ts';
import type { FakeJudgeRules } from './judge/fake.ts';
import { driveJudgeSync } from './judge/request.ts';

const fit = (columns: string[], rows: string[][], lenient = false, rules: FakeJudgeRules = {}) => {
  const answer: Table = { columns, rows };
  const { result, judgements } = driveJudgeSync(
    fitColumns(answer, ['name', 'year'], ['name'], lenient),
    fakeJudge(rules),
  );
  return { ...result, asked: judgements.map(({ request }) => request) };
};

describe('fitColumns', () => {
  it('puts columns into the required order without asking', () => {
    const fitted = fit([' Year', 'N A M E'], [['1', 'a']]);
    expect(fitted.table).toEqual({ columns: ['name', 'year'], rows: [['a', '1']] });
    expect(fitted.asked).toEqual([]);
  });

  it('ignores columns without a name, the artefacts of outer pipes', () => {
    expect(fit(['', 'Name', 'Year'], [['1.', 'a', '1']]).table?.rows).toEqual([['a', '1']]);
  });

  it('asks only about strangers and open names', () => {
    const fitted = fit(['Name', 'Founded', 'Note'], [['a', '1', 'x']], true, {
      aliases: { founded: 'year' },
    });
    expect(fitted.asked).toMatchObject([
      { scope: 'align:columns', vocabulary: ['founded', 'note'], reference: ['year'] },
    ]);
    expect(fitted.table?.rows).toEqual([['a', '1']]);
    expect(fitted.notes).toEqual(['column "founded" read as "year"', 'surplus columns: note']);
  });

  it('asks nothing where only surplus or only missing columns are left', () => {
    expect(fit(['Name', 'Year', 'Source'], []).asked).toEqual([]);
    expect(fit(['Name'], []).asked).toEqual([]);
  });

  it('is a mismatch for surplus, missing and repeated names', () => {
    expect(fit(['Name', 'Year', 'Source'], []).table).toBeNull();
    expect(fit(['Name'], []).table).toBeNull();
    expect(fit(['Name', 'Year', 'year'], []).table).toBeNull();
  });

  it('leniently drops the surplus, blanks what is missing, takes the first of repeated names, but needs the key', () => {
    expect(fit(['Name', 'Year', 'year', 'Source'], [['a', '1', '2', 'x']], true).table?.rows).toEqual([
      ['a', '1'],
    ]);
    const missing = fit(['Name'], [['a']], true);
    expect(missing.table?.rows).toEqual([['a', '']]);
    expect([...missing.absent]).toEqual(['year']);
    expect(fit(['Year'], [['1']], true).table).toBeNull();
  });
});
