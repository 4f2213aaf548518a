/** A policy small enough to differentiate by hand: the logits of the next token depend on the last token only. */
export interface Bigram {
  vocabulary: number;
  /** Row-major [last token][next token]. */
  logits: Float64Array;
}

/** Uniform numbers in [0, 1) from a seed (mulberry32), so that every failing case can be run again. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const randomBigram = (next: () => number, vocabulary: number, spread = 2): Bigram => ({
  vocabulary,
  logits: Float64Array.from({ length: vocabulary ** 2 }, () => (next() - 0.5) * spread),
});

/** The model moved by up to `size` per logit. */
export const perturbed = (model: Bigram, next: () => number, size: number): Bigram => ({
  ...model,
  logits: model.logits.map((logit) => logit + (next() - 0.5) * 2 * size),
});

/** Log-prob of every token after the one before it; 0 for the first. */
export function bigramLogprobs(model: Bigram, tokens: ArrayLike<number>): Float64Array {
  const result = new Float64Array(tokens.length);
  for (let at = 1; at < tokens.length; at += 1) {
    const row = distribution(model, tokens[at - 1] ?? 0);
    result[at] = Math.log(row[tokens[at] ?? 0] ?? 0);
  }
  return result;
}

/** Adds to `into` the gradient by the logits, given the derivative by each position's log-prob. */
export function addGradient(
  model: Bigram,
  tokens: ArrayLike<number>,
  slopes: ArrayLike<number>,
  into: Float64Array,
): void {
  for (let at = 1; at < tokens.length; at += 1) {
    const slope = slopes[at] ?? 0;
    if (slope === 0) continue;
    const last = tokens[at - 1] ?? 0;
    distribution(model, last).forEach((probability, token) => {
      const cell = last * model.vocabulary + token;
      into[cell] = (into[cell] ?? 0) + slope * (Number(token === tokens[at]) - probability);
    });
  }
}

function distribution({ vocabulary, logits }: Bigram, last: number): number[] {
  const row = [...logits.subarray(last * vocabulary, (last + 1) * vocabulary)].map(Math.exp);
  const total = row.reduce((sum, value) => sum + value, 0);
  return row.map((value) => value / total);
}
