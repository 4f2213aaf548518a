import { hashText } from '../sample/seeded.ts';

/** A stream of pseudo-random numbers that depends on its seed alone: the same on every machine. */
export interface Random {
  /** In [0, 1). */
  next: () => number;
  /** An integer in [0, below). */
  int: (below: number) => number;
  /** True with this probability. */
  chance: (probability: number) => boolean;
  /** `options` must not be empty. */
  pick: <T>(options: readonly T[]) => T;
  /** A copy in random order. */
  shuffle: <T>(items: readonly T[]) => T[];
  /** An index, with probability in proportion to its weight. */
  weighted: (weights: readonly number[]) => number;
}

/** Mulberry32 over the hash of a text. */
export function createRandom(seed: string): Random {
  let state = hashText(seed);
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
  const int = (below: number): number => Math.floor(next() * below);
  return {
    next,
    int,
    chance: (probability) => next() < probability,
    pick: (options) => options[int(options.length)]!,
    shuffle: (items) => {
      const copy = [...items];
      for (let last = copy.length - 1; last > 0; last--) {
        const other = int(last + 1);
        [copy[last], copy[other]] = [copy[other]!, copy[last]!];
      }
      return copy;
    },
    weighted: (weights) => {
      let left = next() * weights.reduce((sum, weight) => sum + weight, 0);
      const index = weights.findIndex((weight) => (left -= weight) < 0);
      return index < 0 ? weights.length - 1 : index;
    },
  };
}
