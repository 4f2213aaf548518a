import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fuseRankings } from './fuse.ts';

const order = (...lists: string[][]): string[] => fuseRankings(lists, (item) => item).map(({ item }) => item);

describe('fuseRankings', () => {
  it('puts what both lists have first', () => {
    expect(order(['a', 'b', 'c'], ['c', 'd'])).toEqual(['c', 'a', 'b', 'd']);
  });

  it('leaves a single list as it is, and has each item once', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string()), fc.uniqueArray(fc.string()), (a, b) => {
        expect(order(a)).toEqual(a);
        expect(order(a, b).sort()).toEqual([...new Set([...a, ...b])].sort());
      }),
    );
  });

  it('keeps the first list before the second on ties', () => {
    expect(order(['a'], ['b'])).toEqual(['a', 'b']);
  });
});
