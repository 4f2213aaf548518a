import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pool } from './pool.ts';

// Two texts, three token places, two dimensions; the second text has one real token.
const hidden = new Float32Array([3, 0, 0, 4, 3, 4, 0, 2, 9, 9, 9, 9]);

describe('pool', () => {
  it('averages real tokens only', () => {
    const [first, second] = pool(hidden, 3, 2, [3, 1], 'mean');
    expect(first?.[0]).toBeCloseTo(0.6);
    expect(first?.[1]).toBeCloseTo(0.8);
    expect([...(second ?? [])]).toEqual([0, 1]);
  });

  it('takes the first token', () => {
    expect(pool(hidden, 3, 2, [3, 1], 'cls').map((row) => [...row])).toEqual([
      [1, 0],
      [0, 1],
    ]);
  });

  it('gives unit vectors', () => {
    const state = fc.array(fc.double({ min: 0.1, max: 1, noNaN: true }), { minLength: 12, maxLength: 12 });
    fc.assert(
      fc.property(state, (values) => {
        for (const row of pool(new Float32Array(values), 3, 2, [3, 2], 'mean'))
          expect(Math.hypot(...row)).toBeCloseTo(1, 5);
      }),
    );
  });
});
