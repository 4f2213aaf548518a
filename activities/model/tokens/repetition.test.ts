import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { repeatsAsPublished, repeatsItself } from './repetition.ts';

describe('repeatsItself', () => {
  const passage = fc.array(fc.nat(1_000), { minLength: 1, maxLength: 100 });
  const around = fc.array(fc.integer({ min: 2_000, max: 9_000 }), { maxLength: 300 });

  it('finds a passage that comes 8 times and fills 200 tokens, wherever it stands', () => {
    fc.assert(
      fc.property(passage, around, around, (part, before, after) => {
        const times = Math.max(8, Math.ceil(200 / part.length));
        const repeated = Array.from({ length: times }, () => part).flat();
        expect(repeatsItself(Int32Array.from([...before, ...repeated, ...after]))).toBe(true);
      }),
    );
  });
  it('lets tables, short repetitions and ordinary text be', () => {
    const row = (n: number): number[] => [7, n, 8, n * 3, 9, 10, 7, 11];
    expect(repeatsItself(Int32Array.from(Array.from({ length: 80 }, (_, n) => row(n)).flat()))).toBe(false);
    expect(repeatsItself(new Int32Array(199).fill(3))).toBe(false);
    const long = Array.from({ length: 50 }, (_, n) => n);
    expect(repeatsItself(Int32Array.from([...long, ...long, ...long, ...long, ...long]))).toBe(false);
    expect(repeatsItself(new Int32Array(0))).toBe(false);
  });
});

describe('repeatsAsPublished', () => {
  it.each([
    [8_000, true, true],
    [7_999, true, false],
    [20_000, false, false],
  ])('%i tokens, cut: %s gives %s', (length, truncated, expected) => {
    expect(repeatsAsPublished(new Int32Array(length), truncated)).toBe(expected);
  });
});
