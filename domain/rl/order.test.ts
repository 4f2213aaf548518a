import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shuffled, walk } from './order.ts';

describe('the order of questions', () => {
  it('is a permutation, equal for equal seeds', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), fc.nat(1e6), (count, seed) => {
        const order = shuffled(count, seed);
        expect([...order].sort((a, b) => a - b)).toEqual([...order.keys()]);
        expect(shuffled(count, seed)).toEqual(order);
      }),
    );
  });

  it('has every item once in each pass, wherever one starts', () => {
    const at = walk(10, 7);
    const first = Array.from({ length: 10 }, (_, i) => at(i));
    const second = Array.from({ length: 10 }, (_, i) => at(10 + i));
    expect(new Set(first).size).toBe(10);
    expect(new Set(second).size).toBe(10);
    expect(second).not.toEqual(first);
    expect(walk(10, 7)(14)).toBe(second[4]);
    expect(at(3)).toBe(first[3]);
  });
});
