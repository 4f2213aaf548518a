/** Repeatable random numbers in [0, 1) (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const gauss = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/** A unit vector near `centre`: noise of length about `spread` (the centre's is 1) is added, then it is normalised. */
export function near(centre: Float32Array, spread: number, random: () => number): Float32Array {
  const noisy = centre.map((value) => value + (spread / Math.sqrt(centre.length)) * gauss(random));
  const length = Math.hypot(...noisy);
  return noisy.map((value) => value / length);
}

const dot = (a: Float32Array, b: Float32Array): number => {
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += a[i]! * b[i]!;
  return sum;
};

/** Indexes of the `k` vectors with the largest inner product with `query`, best first: a scan of all of them. */
export function exactNearest(vectors: readonly Float32Array[], query: Float32Array, k: number): number[] {
  const scores = Float32Array.from(vectors, (vector) => dot(vector, query));
  return [...scores.keys()].sort((a, b) => scores[b]! - scores[a]!).slice(0, k);
}

/** Share of `truth` that is among `found`. */
export const recall = (truth: readonly number[], found: readonly number[]): number =>
  truth.filter((index) => found.includes(index)).length / truth.length;
