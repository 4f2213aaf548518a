import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from './bootstrap.ts';
import { compareRuns, isSignificantDrop, primaryMetric } from './compare.ts';
import type { SampleRecord } from './samples.ts';

const usage = { promptTokens: 1, completionTokens: 1, modelCalls: 1, searches: 0, pagesRead: 0, microUsd: 0 };

const record = (
  questionId: string,
  scores: SampleRecord['scores'],
  change: Partial<SampleRecord> = {},
): SampleRecord => ({
  ...{
    questionId,
    language: 'en',
    kind: 'table',
    sample: 0,
    workflowId: 'w',
    questionRef: `ref-${questionId}`,
  },
  ...{ resultRef: null, stopReason: 'answered', status: scores ? 'ok' : 'unscored', reason: '', scores },
  ...{ scoreRef: null, usage, agents: 1, turns: 1, wallMs: 1 },
  ...change,
});
const run = (values: readonly number[], metric = 'f1_by_item'): SampleRecord[] =>
  values.map((value, index) => record(`q${index}`, { [metric]: value }));
const compare = (a: SampleRecord[], b: SampleRecord[], flipAt?: number) =>
  compareRuns(a, b, { random: seededRandom(1), resamples: 500, flipAt });

describe('compareRuns', () => {
  it('pairs questions over the mean of their samples', () => {
    const a = [record('q', { f1_by_item: 0.2 }), record('q', { f1_by_item: 0.4 }, { sample: 1 })];
    const { metrics } = compare(a, [record('q', { f1_by_item: 0.5 })]);
    expect(metrics['f1_by_item']).toMatchObject({ questions: 1, better: 1, worse: 0, equal: 0 });
    expect(metrics['f1_by_item']?.difference.mean).toBeCloseTo(0.2, 12);
  });

  it('leaves out what only one run scored and questions that are no longer the same', () => {
    const a = [
      record('both', { em: 1 }),
      record('a', { em: 0 }),
      record('down', { em: 1 }),
      record('new', { em: 1 }),
    ];
    const b = [
      record('both', { em: 1 }),
      record('b', { em: 0 }),
      record('down', null),
      record('new', { em: 0 }, { questionRef: 'other gold' }),
    ];
    const found = compare(a, b);
    expect(found).toMatchObject({
      ...{ shared: ['both'], onlyA: ['a', 'down'], onlyB: ['b'], changedQuestions: ['new'], flips: [] },
    });
    expect(found.metrics['em']).toMatchObject({ questions: 1, difference: { mean: 0, low: 0, high: 0 } });
  });

  it('sees a small steady difference that the spread of the questions would hide', () => {
    const hard = Array.from({ length: 40 }, (_, index) => (index % 10) / 10);
    const { metrics } = compare(run(hard), run(hard.map((value) => value + 0.02)));
    const metric = metrics['f1_by_item'];
    expect(metric?.difference.low).toBeGreaterThan(0);
    expect(metric?.a.high).toBeGreaterThan(metric?.b.low ?? 1);
  });

  it('names solved, lost and largely changed questions, the largest change first', () => {
    const scores = (score: number, f1: number) => ({ score, f1_by_item: f1 });
    const a = [
      record('lost', scores(1, 1)),
      record('solved', scores(0, 0.9)),
      record('moved', scores(0, 0.9)),
      record('calm', scores(0, 0.5)),
    ];
    const b = [
      record('lost', scores(0, 0.2)),
      record('solved', scores(0, 0.4)),
      record('solved', scores(1, 1), { sample: 1 }),
      record('moved', scores(0, 0.1)),
      record('calm', scores(0, 0.6)),
    ];
    expect(compare(a, b).flips).toEqual([
      { questionId: 'lost', language: 'en', metric: 'score', why: 'lost', a: 1, b: 0 },
      { questionId: 'moved', language: 'en', metric: 'f1_by_item', why: 'changed', a: 0.9, b: 0.1 },
      { questionId: 'solved', language: 'en', metric: 'score', why: 'solved', a: 0, b: 0.5 },
    ]);
    expect(compare(a, b, 0.05).flips.map(({ questionId }) => questionId)).toContain('calm');
  });

  it('gives each kind of question its own resamples', () => {
    const mixed = (shift: number) => [...run([0.2, 0.4, 0.6].map((x) => x + shift)), record('qa', { em: 1 })];
    const { metrics } = compare(mixed(0), mixed(0.1));
    expect(metrics['f1_by_item']?.questions).toBe(3);
    expect(metrics['f1_by_item']?.difference.low).toBeCloseTo(0.1, 9);
    expect(metrics['em']?.questions).toBe(1);
  });

  it('copes with nothing to compare', () => {
    expect(compare([], run([1])).metrics).toEqual({});
    expect(compare(run([1], 'em'), run([1], 'f1')).metrics).toEqual({});
  });

  it('mirrors: swapping the runs negates differences and keeps the flipped questions', () => {
    const values = fc.array(fc.constantFrom(0, 0.25, 0.5, 1), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(values, values, (x, y) => {
        const [a, b] = [run(x, 'em'), run(y, 'em')];
        const [there, back] = [compare(a, b), compare(b, a)];
        const size = Math.min(x.length, y.length);
        expect(there.shared).toHaveLength(size);
        expect(there.metrics['em']?.difference.mean).toBeCloseTo(
          -(back.metrics['em']?.difference.mean ?? 0),
          12,
        );
        expect(new Set(there.flips.map((flip) => flip.questionId))).toEqual(
          new Set(back.flips.map((flip) => flip.questionId)),
        );
        const metric = there.metrics['em'];
        expect((metric?.better ?? 0) + (metric?.worse ?? 0) + (metric?.equal ?? 0)).toBe(size);
      }),
      { numRuns: 50 },
    );
  });
});

describe('isSignificantDrop', () => {
  const drop = (shift: number, count: number) => {
    const base = Array.from({ length: count }, (_, index) => 0.5 + (index % 5) / 20);
    return compare(run(base), run(base.map((value) => value - shift))).metrics['f1_by_item'];
  };

  it('needs an interval below zero, over enough questions', () => {
    expect(isSignificantDrop(drop(0.1, 20))).toBe(true);
    expect(isSignificantDrop(drop(-0.1, 20))).toBe(false);
    expect(isSignificantDrop(drop(0, 20))).toBe(false);
    expect(isSignificantDrop(drop(0.1, 4))).toBe(false);
    expect(isSignificantDrop(drop(0.1, 4), { minQuestions: 3 })).toBe(true);
    expect(isSignificantDrop(undefined)).toBe(false);
  });

  it('is not rung by one question of many, nor by a drop that is tolerated', () => {
    const base = Array.from({ length: 30 }, () => 1);
    const one = compare(run(base), run([0, ...base.slice(1)])).metrics['f1_by_item'];
    expect(isSignificantDrop(one)).toBe(false);
    expect(isSignificantDrop(drop(0.04, 20), { tolerance: 0.05 })).toBe(false);
    expect(isSignificantDrop(drop(0.06, 20), { tolerance: 0.05 })).toBe(true);
  });

  it('rarely cries wolf when nothing changed but noise', () => {
    const random = seededRandom(11);
    let alarms = 0;
    for (let night = 0; night < 150; night += 1) {
      const noisy = (): SampleRecord[] => run(Array.from({ length: 25 }, () => (random() < 0.5 ? 1 : 0)));
      const { metrics } = compareRuns(noisy(), noisy(), { random, resamples: 100 });
      if (isSignificantDrop(metrics['f1_by_item'])) alarms += 1;
    }
    expect(alarms).toBeLessThan(12); // 2.5% of 150 is 4
  });
});

it('primaryMetric prefers item F1, then accuracy', () => {
  expect(primaryMetric(['em', 'f1_by_item'])).toBe('f1_by_item');
  expect(primaryMetric(['em', 'accuracy'])).toBe('accuracy');
  expect(primaryMetric(['other'])).toBe('other');
  expect(primaryMetric([])).toBeUndefined();
});
