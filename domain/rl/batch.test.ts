import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildBatch } from './batch.ts';
import type { BatchConfig, TrainingBatch } from './batch.ts';
import { creditRollout } from './credit.ts';
import { PRESETS } from './presets.ts';
import { randomBigram, seeded } from './testing/bigram.ts';
import { SMALL, makeGroup } from './testing/make.ts';
import type { Group, RolloutOutcome } from './types.ts';

const config = PRESETS.wideseek.batch;
const scored = (reward: number, trainable: string[]): RolloutOutcome => ({
  kind: 'scored',
  reward,
  rule: 'A1',
  trainable,
  finalAnswerFormat: 1,
});

/** A group in which every turn is trained on, with these outcomes; null keeps a rollout's own. */
function group(seed: number, rewards: readonly (number | RolloutOutcome)[], id = 'g'): Group {
  const next = seeded(seed);
  const made = makeGroup(next, randomBigram(next, 4), { ...SMALL, rollouts: rewards.length, drop: 0 }, id);
  made.rollouts.forEach((rollout, index) => {
    const outcome = rewards[index] ?? 0;
    const ids = rollout.turns.map((turn) => turn.id);
    rollout.outcome = typeof outcome === 'number' ? scored(outcome, ids) : outcome;
  });
  return made;
}

/** Per rollout: its advantage, the sum of its token weights. */
function byRollout(batch: TrainingBatch): Map<string, { advantage: number; weight: number }> {
  const result = new Map<string, { advantage: number; weight: number }>();
  for (const { rolloutId, spans } of batch.sequences)
    for (const { advantage, weight, length } of spans) {
      const before = result.get(rolloutId) ?? { advantage, weight: 0 };
      expect(before.advantage).toBe(advantage);
      result.set(rolloutId, { advantage, weight: before.weight + weight * length });
    }
  return result;
}

describe('buildBatch', () => {
  it('gives all agents and tokens of a rollout one advantage (4.2) and a total weight of 1 (4.3)', () => {
    const batch = buildBatch([group(1, [1.15, 0.65, 0.15, 0])], config);
    const rollouts = [...byRollout(batch).values()];
    const advantages = rollouts.map(({ advantage }) => Number(advantage.toFixed(4)));
    expect(advantages).toEqual([1.2696, 0.3114, -0.6468, -0.9342]);
    for (const { weight } of rollouts) expect(weight).toBeCloseTo(1, 12);
    expect(batch).toMatchObject({ denominator: 4, rollouts: 4, filtered: [], excluded: [] });
    expect(batch.stats.tokensAfter).toBeLessThan(batch.stats.tokensBefore);
  });

  it('leaves out what is unscored or failed, by name, and out of the statistics (R-04)', () => {
    const outage: RolloutOutcome = { kind: 'unscored', reason: 'judge down' };
    const broken: RolloutOutcome = { kind: 'failed', reason: 'model lost' };
    const batch = buildBatch([group(1, [1, 0, outage, broken])], config);
    const advantages = [...byRollout(batch).values()].map(({ advantage }) => Number(advantage.toFixed(4)));
    expect(advantages).toEqual([0.7071, -0.7071]);
    expect(batch.denominator).toBe(2);
    expect(batch.excluded).toEqual([
      { rolloutId: 'g/r2', reason: 'unscored: judge down' },
      { rolloutId: 'g/r3', reason: 'failed: model lost' },
    ]);
  });

  it('lists groups without signal instead of training on zeros (R-12)', () => {
    const batch = buildBatch([group(1, [1, 1], 'same'), group(2, [1, 0], 'good')], config);
    expect(batch.filtered).toEqual([{ groupId: 'same', reason: 'equal_rewards' }]);
    expect(new Set(batch.sequences.map(({ groupId }) => groupId))).toEqual(new Set(['good']));
    expect(buildBatch([group(1, [1, 1])], config)).toMatchObject({
      sequences: [],
      denominator: 0,
      rollouts: 0,
    });
  });

  it('uses the token count as the denominator of the flat mean, or the number given', () => {
    const groups = [group(3, [1, 0, 0.5])];
    const flat = buildBatch(groups, { ...config, weighting: 'token-mean' });
    expect(flat.denominator).toBe(flat.stats.lossTokens);
    expect(buildBatch(groups, { ...config, denominator: 1024 }).denominator).toBe(1024);
    expect(() => buildBatch(groups, { ...config, denominator: 0 })).toThrow(/denominator: 0/);
  });

  it('normalises over the loss tokens for the simple agent', () => {
    const batch = buildBatch(
      [group(4, [1, 0, 0.5]), group(5, [1, 0], 'h')],
      PRESETS['asearcher-simple'].batch,
    );
    const mean = (power: number): number =>
      batch.sequences.reduce(
        (sum, { spans }) => sum + spans.reduce((acc, s) => acc + s.length * s.advantage ** power, 0),
        0,
      ) / batch.stats.lossTokens;
    expect(mean(1)).toBeCloseTo(0, 9);
    expect(mean(2)).toBeCloseTo(1, 4);
  });

  it('trains the turns that the reward table names', () => {
    const [rollout] = group(6, [1, 0]).rollouts;
    const credited = rollout && creditRollout(rollout, true, { reward: 0.5 });
    expect(credited?.outcome).toMatchObject({ rule: 'A1', reward: 0.6 });
    const down = rollout && creditRollout(rollout, true, { unscored: 'judge down' });
    expect(down?.outcome).toEqual({ kind: 'unscored', reason: 'judge down' });
  });

  it('weighs each rollout by the law of its weighting, whatever was dropped', () => {
    const weightings = fc.constantFrom<BatchConfig['weighting']>('dual-kept', 'dual-all', 'rollout-mean');
    fc.assert(
      fc.property(fc.nat(1e6), weightings, (seed, weighting) => {
        const next = seeded(seed);
        const made = makeGroup(next, randomBigram(next, 4), { ...SMALL, drop: 0.4 });
        const batch = buildBatch([made], { ...config, weighting });
        for (const [id, { weight }] of byRollout(batch)) {
          const rollout = made.rollouts.find((one) => one.id === id);
          const ids = rollout?.outcome.kind === 'scored' ? rollout.outcome.trainable : [];
          const kept = new Set(rollout?.turns.filter((t) => ids.includes(t.id)).map((t) => t.agentId)).size;
          expect(weight).toBeCloseTo(weighting === 'dual-all' ? kept / (rollout?.agentsStarted ?? 0) : 1, 12);
        }
      }),
      { numRuns: 60 },
    );
  });
});
