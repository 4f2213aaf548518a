import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ASEARCHER_SHAPING, normaliseOverTokens, shapeReward } from './shaping.ts';

describe('shapeReward', () => {
  it('is clip((R − 0.5) · 10, ±20) (asearcher 3.5)', () => {
    expect([0, 0.5, 1, 3, -2].map((reward) => shapeReward(reward, ASEARCHER_SHAPING))).toEqual([
      -5, 0, 5, 20, -20,
    ]);
  });
});

describe('normaliseOverTokens', () => {
  it('weighs each value by its tokens', () => {
    const [high, low] = normaliseOverTokens([1, 0], [1, 3], 0);
    expect(high).toBeCloseTo(0.75 / Math.sqrt(0.1875), 12);
    expect(low).toBeCloseTo(-0.25 / Math.sqrt(0.1875), 12);
  });

  it('gives mean 0 and deviation 1 over tokens', () => {
    const entry = fc.tuple(fc.integer({ min: -50, max: 50 }), fc.integer({ min: 0, max: 30 }));
    fc.assert(
      fc.property(fc.array(entry, { minLength: 2, maxLength: 20 }), (entries) => {
        const live = entries.filter(([, tokens]) => tokens > 0);
        fc.pre(new Set(live.map(([value]) => value)).size > 1);
        const values = entries.map(([value]) => value);
        const result = normaliseOverTokens(
          values,
          entries.map(([, tokens]) => tokens),
          0,
        );
        const total = entries.reduce((sum, [, tokens]) => sum + tokens, 0);
        const mean = (power: number): number =>
          entries.reduce((sum, [, tokens], i) => sum + tokens * (result[i] ?? 0) ** power, 0) / total;
        expect(mean(1)).toBeCloseTo(0, 9);
        expect(mean(2)).toBeCloseTo(1, 9);
      }),
    );
  });

  it('gives zeros for equal values and for no tokens, and refuses lists of different length', () => {
    expect(normaliseOverTokens([0.1, 0.1, 0.1], [1, 2, 3])).toEqual([0, 0, 0]);
    expect(normaliseOverTokens([1, 2], [0, 0])).toEqual([0, 0]);
    expect(() => normaliseOverTokens([1], [1, 2])).toThrow(/tokens: 2 counts for 1/);
  });
});
