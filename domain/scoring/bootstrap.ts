export interface Estimate {
  mean: number;
  /** Ends of the percentile interval; equal to the mean where there is one question or none. */
  low: number;
  high: number;
}

/** Seed of every interval that is shown, so that two tellings of one result agree. */
export const BOOTSTRAP_SEED = 1;

/** A random source: numbers in [0, 1). Everything that draws takes one, so that results repeat. */
export type Random = () => number;

/** Mulberry32: a small generator with 2^32 states, good enough to resample questions. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Arithmetic mean, 0 for no values. */
export const meanOf = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * Which questions each resample draws, with replacement: `resamples` lists of `count` indices. Shared by all metrics, so
 * that their intervals belong together.
 */
export const drawResamples = (count: number, resamples: number, random: Random): number[][] =>
  Array.from({ length: resamples }, () => Array.from({ length: count }, () => Math.floor(random() * count)));

/** Mean over questions with its percentile bootstrap interval. `values` holds one number per question, null for none. */
export function estimate(
  values: readonly (number | null)[],
  draws: readonly number[][],
  confidence: number,
): Estimate {
  const mean = meanOf(values.filter((value) => value !== null));
  if (values.length < 2 || draws.length === 0) return { mean, low: mean, high: mean };
  const means = draws
    .map((indices) => meanOf(indices.flatMap((index) => values[index] ?? [])))
    .sort((a, b) => a - b);
  const at = (quantile: number): number =>
    means[Math.min(means.length - 1, Math.floor(quantile * means.length))] ?? mean;
  return { mean, low: at((1 - confidence) / 2), high: at((1 + confidence) / 2) };
}
