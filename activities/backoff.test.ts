import { describe, expect, it } from 'vitest';
import { spreadBackoff } from './backoff.ts';

const retryPolicy = { initialInterval: 2_000, maximumInterval: 10_000, backoffCoefficient: 2 };

describe('spreadBackoff', () => {
  it.each([
    [1, 1_500, 2_000, 2_500],
    [2, 3_000, 4_000, 5_000],
    [3, 6_000, 8_000, 10_000],
    [4, 7_500, 10_000, 12_500],
    [60, 7_500, 10_000, 12_500],
  ])('after attempt %i waits from %i over %i to %i ms', (attempt, least, middle, most) => {
    expect([0, 0.5, 1].map((random) => spreadBackoff({ attempt, retryPolicy }, random))).toEqual([
      least,
      middle,
      most,
    ]);
  });

  it('fills in what a policy leaves out as Temporal does, and leaves the rest to it', () => {
    expect(spreadBackoff({ attempt: 3, retryPolicy: {} }, 0.5)).toBe(4_000);
    expect(spreadBackoff({ attempt: 40, retryPolicy: {} }, 0.5)).toBe(100_000);
    expect(spreadBackoff({ attempt: 3 }, 0.5)).toBeUndefined();
  });
});
