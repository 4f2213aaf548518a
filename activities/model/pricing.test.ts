import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { costMicroUsd } from './pricing.ts';

const prices = { promptUsdPerMillion: 0.15, completionUsdPerMillion: 0.6 };

describe('costMicroUsd', () => {
  it.each([
    [1_000_000, 0, 150_000],
    [0, 1_000_000, 600_000],
    [1000, 500, 450],
    [1, 0, 1],
    [20, 0, 3],
    [0, 0, 0],
  ])('charges %i + %i tokens %i', (promptTokens, completionTokens, expected) => {
    expect(costMicroUsd({ promptTokens, completionTokens }, prices)).toBe(expected);
  });

  it('costs nothing without prices', () => {
    expect(costMicroUsd({ promptTokens: 1e9, completionTokens: 1e9 }, undefined)).toBe(0);
  });

  it('is a whole number that never undercharges and never adds a whole micro-dollar', () => {
    const tokens = fc.nat(2_000_000);
    fc.assert(
      fc.property(tokens, tokens, (promptTokens, completionTokens) => {
        const cost = costMicroUsd({ promptTokens, completionTokens }, prices);
        const exact = promptTokens * 0.15 + completionTokens * 0.6;
        expect(Number.isInteger(cost)).toBe(true);
        expect(cost - exact).toBeGreaterThan(-1e-6);
        expect(cost - exact).toBeLessThan(1);
      }),
    );
  });
});
