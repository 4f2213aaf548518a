import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ASEARCHER_REASONING_ADVANTAGE,
  ASEARCHER_SIMPLE_ADVANTAGE,
  WIDESEEK_ADVANTAGE,
  groupAdvantages,
} from './advantages.ts';
import type { AdvantageConfig, GroupMember } from './advantages.ts';

const members = (rewards: readonly number[], kept: readonly number[] = []): GroupMember[] =>
  rewards.map((reward, index) => ({ reward, keptTurns: kept[index] ?? 1 }));
const rounded = (values: readonly number[]): number[] => values.map((value) => Number(value.toFixed(4)));

describe('groupAdvantages', () => {
  it('gives the vector of wideseek 4.2', () => {
    expect(rounded(groupAdvantages(members([1.15, 0.65, 0.15, 0])))).toEqual([
      1.2696, 0.3114, -0.6468, -0.9342,
    ]);
  });

  it('only centres for the simple agent, and uses the population deviation for the reasoning agent', () => {
    expect(rounded(groupAdvantages(members([1, 0.5, 0]), ASEARCHER_SIMPLE_ADVANTAGE))).toEqual([
      0.5, 0, -0.5,
    ]);
    expect(groupAdvantages(members([1, 1, 0, 0]), ASEARCHER_REASONING_ADVANTAGE)).toEqual([1, 1, -1, -1]);
  });

  it('counts turns in turn mode: three turns at 1 and one at 0', () => {
    const config: AdvantageConfig = { mode: 'turn', scale: 'none', epsilon: 0 };
    expect(groupAdvantages(members([1, 0], [3, 1]), config)).toEqual([0.25, -0.75]);
    const [high, low] = groupAdvantages(members([1, 0], [3, 1]), { ...config, scale: 'sample' });
    expect(high).toBeCloseTo(0.25 / 0.5, 12);
    expect(low).toBeCloseTo(-0.75 / 0.5, 12);
  });

  it('takes a rollout without kept turns as 0 in trajectory mode and leaves it out in turn mode', () => {
    const simple = groupAdvantages(members([1, 1, 1], [1, 1, 0]), ASEARCHER_SIMPLE_ADVANTAGE);
    expect(rounded(simple)).toEqual([0.3333, 0.3333, -0.6667]);
    expect(groupAdvantages(members([1, 1, 5], [1, 1, 0]), { ...WIDESEEK_ADVANTAGE, mode: 'turn' })).toEqual([
      0, 0, 0,
    ]);
  });

  it('is exactly 0 for equal rewards, one rollout and no rollout', () => {
    expect(groupAdvantages(members([0.1, 0.1, 0.1]))).toEqual([0, 0, 0]);
    expect(groupAdvantages(members([0.7]))).toEqual([0]);
    expect(groupAdvantages([])).toEqual([]);
  });

  it('refuses a reward that is not a number', () => {
    expect(() => groupAdvantages(members([1, NaN]))).toThrow(/rewards\[1\]/);
  });

  const rewards = fc.array(fc.double({ min: -2, max: 2, noNaN: true }), { minLength: 2, maxLength: 16 });

  it('sums to 0 and keeps the order of rewards', () => {
    fc.assert(
      fc.property(
        rewards,
        fc.constantFrom<AdvantageConfig['scale']>('sample', 'population', 'none'),
        (values, scale) => {
          const result = groupAdvantages(members(values), { ...WIDESEEK_ADVANTAGE, scale });
          expect(Math.abs(result.reduce((sum, value) => sum + value, 0))).toBeLessThan(1e-6);
          const order = values.map((_, index) => index).sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0));
          for (let i = 1; i < order.length; i += 1)
            expect(result[order[i] ?? 0] ?? 0).toBeGreaterThanOrEqual(result[order[i - 1] ?? 0] ?? 0);
        },
      ),
    );
  });

  it('does not move when all rewards shift, and hardly when they are scaled', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 2, maxLength: 16 }), (values) => {
        const base = groupAdvantages(members(values));
        const moved = groupAdvantages(members(values.map((value) => 3 * value + 7)));
        base.forEach((value, index) => expect(moved[index]).toBeCloseTo(value, 4));
      }),
    );
  });

  it('is the same in both modes where every rollout has as many turns', () => {
    fc.assert(
      fc.property(rewards, (values) => {
        const population = { ...WIDESEEK_ADVANTAGE, scale: 'population' as const };
        const turn = groupAdvantages(
          members(
            values,
            values.map(() => 4),
          ),
          { ...population, mode: 'turn' },
        );
        groupAdvantages(members(values), population).forEach((value, i) =>
          expect(turn[i]).toBeCloseTo(value, 6),
        );
      }),
    );
  });
});
