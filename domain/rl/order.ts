/** A whole number from a seed and a position (mixing as in mulberry32): equal inputs, equal output, on any machine. */
export function mix(seed: number, position: number): number {
  let state = (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) + Math.imul(position + 1, 0x6d2b79f5)) >>> 0;
  state = Math.imul(state ^ (state >>> 15), state | 1);
  state ^= state + Math.imul(state ^ (state >>> 7), state | 61);
  return (state ^ (state >>> 14)) >>> 0;
}

/** A permutation of 0 … count−1 from a seed (Fisher–Yates). */
export function shuffled(count: number, seed: number): Int32Array {
  const order = Int32Array.from({ length: count }, (_, index) => index);
  for (let last = count - 1; last > 0; last -= 1) {
    const other = mix(seed, last) % (last + 1);
    [order[last], order[other]] = [order[other] ?? 0, order[last] ?? 0];
  }
  return order;
}

/**
 * Item at a position of an endless walk over `count` items: every pass has all of them once, in an order of its own. A
 * pure function of seed and position, so a resumed run goes on exactly.
 */
export function walk(count: number, seed: number): (position: number) => number {
  let pass = -1;
  let order: Int32Array = new Int32Array(0);
  return (position) => {
    const wanted = Math.floor(position / count);
    if (wanted !== pass) {
      pass = wanted;
      order = shuffled(count, mix(seed, wanted));
    }
    return order[position % count] ?? 0;
  };
}
