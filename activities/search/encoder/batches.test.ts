import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bucketByLength } from './batches.ts';

describe('bucketByLength', () => {
  it('puts similar lengths together', () => {
    expect(bucketByLength([100, 3, 90, 4], 2, 1000)).toEqual([
      [1, 3],
      [2, 0],
    ]);
  });

  it('has every text once and keeps both limits', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 300 })), (lengths) => {
        const batches = bucketByLength(lengths, 8, 512);
        expect(batches.flat().sort((a, b) => a - b)).toEqual(lengths.map((_, index) => index));
        for (const batch of batches) {
          const longest = Math.max(...batch.map((index) => lengths[index] ?? 0));
          expect(batch.length).toBeLessThanOrEqual(8);
          expect(batch.length === 1 || longest * batch.length <= 512).toBe(true);
        }
      }),
    );
  });
});
