import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { balancedPartition } from './partition.ts';

const lengths = fc.array(fc.integer({ min: 1, max: 1_000 }), { maxLength: 60 });

describe('balancedPartition', () => {
  it('puts the longest first on the lightest part', () => {
    expect(balancedPartition([1, 8, 3, 6, 2], 2)).toEqual([
      [1, 4],
      [3, 2, 0],
    ]);
  });

  it('keeps every item once; sums differ by no more than the longest item', () => {
    fc.assert(
      fc.property(lengths, fc.integer({ min: 1, max: 9 }), (items, parts) => {
        const result = balancedPartition(items, parts);
        expect(result).toHaveLength(parts);
        expect(result.flat().sort((a, b) => a - b)).toEqual(items.map((_, index) => index));
        const sums = result.map((part) => part.reduce((sum, item) => sum + (items[item] ?? 0), 0));
        expect(Math.max(...sums) - Math.min(...sums)).toBeLessThanOrEqual(Math.max(0, ...items));
      }),
    );
  });

  it('keeps counts within one of each other where asked', () => {
    fc.assert(
      fc.property(lengths, fc.integer({ min: 1, max: 9 }), (items, parts) => {
        const counts = balancedPartition(items, parts, { equalCount: true }).map((part) => part.length);
        expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
        expect(counts.reduce((sum, count) => sum + count, 0)).toBe(items.length);
      }),
    );
  });

  it('refuses to split over nothing', () => {
    expect(() => balancedPartition([1], 0)).toThrow(/parts: 0/);
  });
});
