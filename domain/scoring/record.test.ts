import { describe, expect, it } from 'vitest';
import { WideseekError } from '../errors.ts';
import { readDelimited } from './csv.ts';
import { readGold } from './gold.ts';
import { checkRecord, parseEvalRecord, toleranceOf } from './record.ts';

const evaluation = {
  required: ['a', 'b'],
  unique_columns: ['a'],
  eval_pipeline: {
    a: { preprocess: ['norm_str'], metric: ['exact_match'] },
    b: { metric: ['number_near'], criterion: 0.1 },
  },
};

describe('parseEvalRecord', () => {
  it('accepts the recipe as an object and as JSON text', () => {
    const parsed = parseEvalRecord({ instance_id: 'x', evaluation });
    expect(parseEvalRecord({ instance_id: 'x', evaluation: JSON.stringify(evaluation) })).toEqual(parsed);
    expect(parsed.evaluation.eval_pipeline['b']?.preprocess).toEqual([]);
  });

  it('names the field that is wrong', () => {
    for (const [value, field] of [
      [{ instance_id: 'x', evaluation: 'not json' }, 'records:3.evaluation'],
      [{ instance_id: 'x', evaluation: { ...evaluation, required: [] } }, 'records:3.evaluation.required'],
      [{ evaluation }, 'records:3.instance_id'],
    ] as const) {
      expect(() => parseEvalRecord(value, 'records:3')).toThrow(WideseekError);
      expect(() => parseEvalRecord(value, 'records:3')).toThrow(field);
    }
  });
});

describe('checkRecord', () => {
  const check = (change: Record<string, unknown>) =>
    checkRecord(parseEvalRecord({ instance_id: 'x', evaluation: { ...evaluation, ...change } }));

  it('finds nothing in a sound recipe', () => {
    expect(check({})).toEqual({ errors: [], warnings: [] });
  });

  it.each([
    [{ unique_columns: ['c'] }, '"c" is not a required column'],
    [{ unique_columns: [] }, 'names no column'],
    [{ required: ['a', 'A', 'b'] }, 'same normalised name'],
    [{ eval_pipeline: { b: { metric: ['fuzzy'] } } }, 'unknown function "fuzzy"'],
    [{ eval_pipeline: { b: { preprocess: ['trim'] } } }, 'unknown function "trim"'],
  ])('refuses %j', (change, message) => {
    expect(check(change).errors.join()).toContain(message);
  });

  it('warns about what it repairs', () => {
    expect(check({ eval_pipeline: { ghost: {} } }).warnings.join()).toContain(
      '"ghost" is not a required column',
    );
    expect(check({ required: ['a', 'Full Name'] }).warnings.join()).toContain('not in normalised form');
    expect(check({ eval_pipeline: { b: { metric: ['number_near'] } } }).warnings.join()).toContain(
      'tolerance 0',
    );
  });

  it('reads tolerances', () => {
    expect([0.1, '0.1', ' ', 'x', null, true, -1, NaN].map(toleranceOf)).toEqual([
      0.1,
      0.1,
      null,
      null,
      null,
      null,
      null,
      null,
    ]);
  });
});

describe('readDelimited', () => {
  it('reads quotes, line ends and blank lines', () => {
    expect(readDelimited('\uFEFFa,b\r\n\n"x, ""y""\n2",5" \r  \nlast,', ',')).toEqual({
      rows: [
        ['a', 'b'],
        ['x, "y"\n2', '5" '],
        ['last', ''],
      ],
      openQuote: false,
    });
    expect(readDelimited('a\n""\n', ',').rows).toEqual([['a'], ['']]);
    expect(readDelimited('a\n"x', ',').openQuote).toBe(true);
    expect(readDelimited('', ',').rows).toEqual([]);
    expect(readDelimited('"a"b"|c', '|').rows).toEqual([['ab"', 'c']]);
  });
});

describe('readGold', () => {
  it('keeps text, picks the required columns in their order, pads short rows', () => {
    expect(readGold('x,Zip Code, Name \n1,007,NA\n2,8\n', ['name', 'zipcode'])).toEqual({
      table: {
        columns: ['name', 'zipcode'],
        rows: [
          ['NA', '007'],
          ['', '8'],
        ],
      },
    });
  });

  it.each([
    ['', 'is empty'],
    ['a\n1\n', 'column "b" is absent'],
    ['a,b\n1,2\n1,2,3\n', 'data row 2 has more cells'],
    ['a,b\n"1,2\n', 'never closed'],
  ])('says what is wrong with %j', (csv, problem) => {
    expect(readGold(csv, ['a', 'b'])).toEqual({ problem: expect.stringContaining(problem) as string });
  });
});
