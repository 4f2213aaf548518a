import { describe, expect, it } from 'vitest';
import { aggregate } from './aggregate.ts';
import type { Sample } from './aggregate.ts';
import { estimate, seededRandom } from './bootstrap.ts';

const sample = (
  question: string,
  values: Sample['values'],
  language: Sample['language'] = 'en',
  status = 'ok',
): Sample => ({
  question,
  language,
  status,
  values,
});
const options = (k: number) => ({ k, random: seededRandom(7), resamples: 400 });

describe('aggregate', () => {
  it('gives the numbers of the worked example', () => {
    const samples = [
      sample('q1', { score: 1, row: 1 }),
      sample('q1', { score: 0, row: 0.5 }),
      sample('q2', { score: 0, row: 0.2 }, 'zh'),
      sample('q2', { score: 0, row: 0.4 }, 'zh'),
    ];
    const summary = aggregate(samples, options(2));
    const means = (name: string) => {
      const metric = summary.all.metrics[name];
      return [metric?.avg.mean, metric?.max.mean, metric?.min.mean, metric?.pass.mean].map((value) =>
        Number(value?.toFixed(9)),
      );
    };
    expect(means('score')).toEqual([0.25, 0.5, 0, 0.5]);
    expect(means('row')).toEqual([0.525, 0.7, 0.35, 1]);
    expect(summary.byLanguage.en?.metrics['row']?.avg.mean).toBe(0.75);
    expect(summary.byLanguage.zh?.metrics['score']?.max.mean).toBe(0);
    expect(summary.complete).toBe(true);
  });

  it('counts statuses and leaves unscored answers out instead of taking them for 0', () => {
    const samples = [
      sample('q1', { score: 1 }),
      sample('q1', null, 'en', 'judge_failed'),
      sample('q2', null, 'en', 'judge_failed'),
      sample('q2', { score: 0 }, 'en', 'no_table'),
    ];
    const summary = aggregate(samples, options(2));
    expect(summary.byStatus).toEqual({ ok: 1, judge_failed: 2, no_table: 1 });
    expect(summary.all).toMatchObject({ questions: 2, samples: 4, unscored: 2, short: ['q1', 'q2'] });
    expect(summary.all.metrics['score']?.avg.mean).toBe(0.5);
    expect(summary.complete).toBe(false);
    expect(summary.byLanguage.zh).toBeUndefined();
  });

  it('copes with no samples and with a metric that only some questions have', () => {
    expect(aggregate([], options(4)).all.metrics).toEqual({});
    const mixed = aggregate(
      [sample('q1', { a: 1 }), sample('q2', { a: 0, b: 1 }), sample('q3', { a: 0, b: 1 })],
      options(1),
    );
    expect(mixed.all.metrics['b']?.avg).toEqual({ mean: 1, low: 1, high: 1 });
  });

  it('repeats itself for the same seed', () => {
    const samples = Array.from({ length: 30 }, (_, index) =>
      sample(`q${index}`, { score: index % 3 === 0 ? 1 : 0 }),
    );
    expect(aggregate(samples, options(1))).toEqual(aggregate(samples, options(1)));
  });
});

describe('estimate', () => {
  it('covers the true mean about as often as it says', () => {
    const random = seededRandom(3);
    let covered = 0;
    for (let trial = 0; trial < 200; trial += 1) {
      const values = Array.from({ length: 60 }, () => (random() < 0.3 ? 1 : 0));
      const draws = Array.from({ length: 200 }, () => values.map(() => Math.floor(random() * values.length)));
      const { low, high } = estimate(values, draws, 0.95);
      if (low <= 0.3 && high >= 0.3) covered += 1;
    }
    expect(covered).toBeGreaterThan(178);
    expect(covered).toBeLessThan(200);
  });
});
