import { describe, expect, it } from 'vitest';
import { buildBatch } from './batch.ts';
import { batchMetrics, lossMetrics, stalenessHistogram } from './metrics.ts';
import { PRESETS } from './presets.ts';
import { randomBigram, seeded } from './testing/bigram.ts';
import { SMALL, makeGroup } from './testing/make.ts';

const batchOf = (drop: number) => {
  const next = seeded(3);
  return buildBatch([makeGroup(next, randomBigram(next, 4), { ...SMALL, drop })], PRESETS.wideseek.batch);
};

describe('metrics', () => {
  it('describe a batch and never fail on an empty one', () => {
    const batch = batchOf(0);
    const metrics = batchMetrics(batch);
    expect(metrics['rollout/total_num_sequence']).toBe(batch.sequences.length);
    expect(metrics['rollout/avg_turns_per_traj']).toBeCloseTo(batch.stats.turns / 4, 12);
    expect(metrics['rollout/advantages_max']).toBeGreaterThan(0);
    expect(metrics['rollout/advantages_min']).toBeLessThan(0);
    expect(metrics['merge/kept_share']).toBeLessThan(1);
    expect(metrics['agents/started']).toBeGreaterThanOrEqual(metrics['agents/kept'] ?? NaN);
    expect(batchMetrics(buildBatch([], PRESETS.wideseek.batch))).toMatchObject({
      'rollout/total_num_sequence': 0,
      'rollout/advantages_mean': 0,
      'merge/kept_share': 0,
    });
  });

  it('count every loss token in the staleness histogram', () => {
    const batch = batchOf(0.2);
    const histogram = stalenessHistogram(batch, 6);
    expect([...histogram.values()].reduce((sum, count) => sum + count, 0)).toBe(batch.stats.lossTokens);
    expect(Math.min(...histogram.keys())).toBeGreaterThan(0);
    expect([...histogram.keys()]).toEqual([...histogram.keys()].sort((a, b) => a - b));
  });

  it('weigh loss statistics by tokens', () => {
    const stats = { clipped: 1, dualClipped: 0, masked: 0, klSum: 0.4, lossAbsSum: 1, lossSum: 1 };
    const metrics = lossMetrics([
      {
        ...stats,
        tokens: 1,
        ratioSum: 2,
        ratioClippedSum: 1.28,
        ratioAbsSum: 1,
        logRatioSum: -0.6,
        entropySum: 2,
      },
      {
        ...stats,
        tokens: 3,
        ratioSum: 3,
        ratioClippedSum: 2.72,
        ratioAbsSum: 2,
        logRatioSum: 0.2,
        entropySum: 0,
      },
    ]);
    expect(metrics['train/actor/ratio_abs']).toBeCloseTo(0.75, 12);
    expect(metrics['train/actor/approx_kl']).toBeCloseTo(-0.1, 12);
    expect(metrics['train/actor/clipped_ratio']).toBeCloseTo(1, 12);
    expect(metrics['train/actor/entropy_loss']).toBeCloseTo(0.5, 12);
    expect(metrics).toMatchObject({ 'train/actor/ratio': 1.25, 'train/actor/clip_fraction': 0.5 });
    expect(metrics['train/actor/kl_loss']).toBeCloseTo(0.2, 12);
    expect(lossMetrics([])['train/actor/ratio']).toBe(0);
  });
});
