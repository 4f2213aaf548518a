import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packBalanced, packSequences } from './packing.ts';

const lengths = fc.array(fc.integer({ min: 1, max: 100 }), { maxLength: 80 });
const sizes = (bins: number[][], of: readonly number[]): number[] =>
  bins.map((bin) => bin.reduce((sum, item) => sum + (of[item] ?? 0), 0));

/** Best-fit decreasing written the slow way: among the bins with room, the fullest. */
function slowBins(items: readonly number[], budget: number): number {
  const rooms: number[] = [];
  for (const length of [...items].sort((a, b) => b - a)) {
    let best = -1;
    rooms.forEach((room, bin) => {
      if (room >= length && (best < 0 || room < (rooms[best] ?? 0))) best = bin;
    });
    if (best < 0) rooms.push(budget - length);
    else rooms[best] = (rooms[best] ?? 0) - length;
  }
  return rooms.length;
}

describe('packSequences', () => {
  it('fills bins best-fit, longest first, and states the efficiency', () => {
    const packing = packSequences([4, 7, 3, 6, 5, 5], 10);
    expect(packing.bins).toEqual([
      [1, 2],
      [3, 0],
      [4, 5],
    ]);
    expect(packing).toMatchObject({ efficiency: 1, oversized: [] });
    expect(packSequences([6, 6], 10).efficiency).toBeCloseTo(0.6, 12);
    expect(packSequences([], 10)).toEqual({ bins: [], oversized: [], efficiency: 1 });
  });

  it('gives an item above the budget its own bin and reports it', () => {
    expect(packSequences([12, 3, 10], 10)).toMatchObject({ bins: [[0], [2], [1]], oversized: [0] });
  });

  it('packs every item once, within the budget, and needs as many bins as the slow algorithm', () => {
    fc.assert(
      fc.property(lengths, fc.integer({ min: 100, max: 300 }), (items, budget) => {
        const { bins, efficiency } = packSequences(items, budget);
        expect(bins.flat().sort((a, b) => a - b)).toEqual(items.map((_, index) => index));
        for (const size of sizes(bins, items)) expect(size).toBeLessThanOrEqual(budget);
        expect(bins).toHaveLength(slowBins(items, budget));
        const total = items.reduce((sum, length) => sum + length, 0);
        if (bins.length > 0) expect(efficiency).toBeCloseTo(total / (bins.length * budget), 12);
      }),
    );
  });

  it('refuses a budget of nothing', () => {
    expect(() => packSequences([1], 0)).toThrow(/budget: 0/);
  });
});

describe('packBalanced', () => {
  it('levels the bins without passing the budget', () => {
    expect(sizes(packBalanced([5, 5, 1, 1], 10).bins, [5, 5, 1, 1])).toEqual([6, 6]);
    fc.assert(
      fc.property(lengths, (items) => {
        const levelled = packBalanced(items, 120);
        expect(levelled.bins).toHaveLength(packSequences(items, 120).bins.length);
        expect(levelled.bins.flat().sort((a, b) => a - b)).toEqual(items.map((_, index) => index));
        for (const size of sizes(levelled.bins, items)) expect(size).toBeLessThanOrEqual(120);
      }),
    );
  });
});
