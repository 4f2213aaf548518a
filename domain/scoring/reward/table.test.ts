import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Table } from '../../run.ts';
import { fakeJudge } from '../judge/fake.ts';
import type { FakeJudgeRules } from '../judge/fake.ts';
import { driveJudgeSync } from '../judge/request.ts';
import { extractReferenceTable } from './extract.ts';
import { referenceTableRewardSteps, rewriteNumeric } from './reference.ts';
import { tableRewardSteps } from './table.ts';
import type { TableLabel, TableReward } from './table.ts';

const GOLD: Table = {
  columns: ['Name', 'Place', 'Year'],
  rows: [
    ['a', 'Lyon', '1999'],
    ['b', 'Ghent', '2001'],
    ['c', 'Basel', '2003'],
  ],
};
const LABEL: TableLabel = { gold: GOLD, uniqueColumns: ['name'] };

const ours = (label: TableLabel, prediction: Table | null, rules: FakeJudgeRules = {}) => {
  const { result, judgements } = driveJudgeSync(tableRewardSteps(label, prediction), fakeJudge(rules));
  return { result, scopes: judgements.map(({ request }) => request.scope) };
};
const theirs = (label: TableLabel, prediction: Table | null, rules: FakeJudgeRules = {}): TableReward =>
  driveJudgeSync(referenceTableRewardSteps(label, prediction), fakeJudge(rules)).result;

/** Four rows, two known keys, three of their four other cells right: TP 5, P 5/12, R 5/9. */
const VECTOR: Table = {
  columns: ['name', 'place', 'year'],
  rows: [
    ['a', 'Lyon', '1999'],
    ['b', 'Ghent', '1900'],
    ['x', 'Oslo', '1'],
    ['y', 'Rome', '2'],
  ],
};

describe('table reward', () => {
  it('gives the item F1 of the worked vector in both modes', () => {
    for (const reward of [ours(LABEL, VECTOR).result, theirs(LABEL, VECTOR)]) {
      expect(reward).toMatchObject({ kind: 'scored', formatOk: true });
      expect(reward.kind === 'scored' && reward.itemF1).toBeCloseTo(0.476190476190476, 12);
    }
  });

  it('tolerates surplus columns; a missing one is wrong cells here and bad format there', () => {
    const wide = { columns: [...GOLD.columns, 'Source'], rows: GOLD.rows.map((row) => [...row, 'x']) };
    expect(ours(LABEL, wide).result).toMatchObject({ itemF1: 1 });
    expect(theirs(LABEL, wide)).toMatchObject({ itemF1: 1 });
    const narrow = { columns: ['Name', 'Place'], rows: GOLD.rows.map((row) => row.slice(0, 2)) };
    const reward = ours(LABEL, narrow).result;
    expect(reward).toMatchObject({ formatOk: true });
    expect(reward.kind === 'scored' && reward.itemF1).toBeCloseTo(2 / 3, 12);
    expect(theirs(LABEL, narrow)).toMatchObject({ itemF1: 0, formatOk: false });
  });

  it('joins one gold row once, where the published code exceeds 1 (R-60)', () => {
    const gold = { columns: ['k'], rows: [['Bern']] };
    const twice = { columns: ['k'], rows: [['Bern'], ['Berne']] };
    const label = { gold, uniqueColumns: ['k'] };
    const rules = { aliases: { Berne: 'Bern' } };
    const reference = theirs(label, twice, rules);
    expect(reference.kind === 'scored' && reference.itemF1).toBeCloseTo(4 / 3, 12);
    expect(ours(label, twice, rules).result).toMatchObject({ itemF1: 1 });
  });

  it('asks the judge only about unequal texts (R-61)', () => {
    const spelled = {
      columns: GOLD.columns,
      rows: GOLD.rows.map(([name, place, year]) => [name ?? '', `**${place}**`, `${year}.0`]),
    };
    expect(ours(LABEL, spelled)).toMatchObject({ result: { itemF1: 1 }, scopes: [] });
    expect(ours(LABEL, VECTOR).scopes).toEqual(['align:key:name', 'judge:year']);
  });

  it('leaves a rollout unscored where the judge cannot be reached, where the published code says 0 (R-04, R-64)', () => {
    const rules = { overrides: { 'judge:year': { raise: true } } };
    expect(ours(LABEL, VECTOR, rules).result).toEqual({
      kind: 'unscored',
      reason: 'judge:year: the judge raised',
    });
    const reference = theirs(LABEL, VECTOR, rules);
    expect(reference.kind === 'scored' && reference.itemF1).toBeCloseTo(
      (2 * (4 / 12) * (4 / 9)) / (4 / 12 + 4 / 9),
      12,
    );
  });

  it('calls a label without key columns broken instead of scoring 0 (R-65)', () => {
    expect(ours({ gold: GOLD, uniqueColumns: [] }, VECTOR).result.kind).toBe('unscored');
    expect(theirs({ gold: GOLD, uniqueColumns: [] }, VECTOR)).toMatchObject({ itemF1: 0, formatOk: false });
    expect(ours({ gold: GOLD, uniqueColumns: ['city'] }, VECTOR).result.kind).toBe('unscored');
  });

  it('is bad format without a table or without rows', () => {
    for (const prediction of [null, { columns: GOLD.columns, rows: [] }]) {
      expect(ours(LABEL, prediction).result).toMatchObject({ itemF1: 0, formatOk: false });
      expect(theirs(LABEL, prediction)).toMatchObject({ itemF1: 0, formatOk: false });
    }
  });

  it('stays within 0 and 1 on any prediction', () => {
    const cell = fc.constantFrom('a', 'b', 'c', 'A', '**a**', '', '1999', '1,999', 'x');
    const rows = fc.array(fc.array(cell, { minLength: 3, maxLength: 3 }), { maxLength: 8 });
    fc.assert(
      fc.property(rows, fc.dictionary(cell, cell), (predicted, aliases) => {
        const { result } = ours(LABEL, { columns: GOLD.columns, rows: predicted }, { aliases });
        expect(result.kind).toBe('scored');
        if (result.kind === 'scored') {
          expect(result.itemF1).toBeGreaterThanOrEqual(0);
          expect(result.itemF1).toBeLessThanOrEqual(1);
        }
      }),
    );
  });
});

describe('published quirks', () => {
  it('rewrites a partly numeric column (R-63)', () => {
    expect(rewriteNumeric(['1234567', 'n.k.', '1.50', '0.00001'])).toEqual([
      '1.23457e+06',
      '',
      '1.5',
      '1e-05',
    ]);
    expect(rewriteNumeric(['a', 'nan', ''])).toEqual(['a', 'nan', '']);
  });

  it('reads the last markdown fence, gold also without a fence', () => {
    const fenced = '<think>```markdown\n|z|\n|1|\n```</think>```markdown\n|a|b|\n|-|-|\n|x<br>y||\n```';
    expect(extractReferenceTable(fenced, false)).toEqual({ columns: ['a', 'b'], rows: [['x\ny', 'nan']] });
    const bare = 'First | x\n\nGold:\n|a|b|\n|-|-|\n|007|2|';
    expect(extractReferenceTable(bare, false)).toBeNull();
    expect(extractReferenceTable(bare, true)).toEqual({ columns: ['a', 'b'], rows: [['7', '2']] });
    expect(extractReferenceTable('```markdown\n|a|\n|"x|\n```', false)).toBeNull();
    expect(extractReferenceTable('no pipes', true)).toBeNull();
  });
});
