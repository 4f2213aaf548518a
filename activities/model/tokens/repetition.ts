/** Longest repeated passage that is looked for, in tokens. */
const LONGEST_PERIOD = 100;
/** A stretch counts when it is this long and holds the passage this often. */
const LEAST_TOKENS = 200;
const LEAST_TIMES = 8;
/** A reply of this length that fills the window is what the published code calls repetition. */
const PUBLISHED_LENGTH = 8_000;

/** Whether a reply says one passage of up to 100 tokens again and again, 8 times and 200 tokens at least, wherever. */
export function repeatsItself(tokens: Int32Array): boolean {
  for (let period = 1; period <= LONGEST_PERIOD && period * LEAST_TIMES <= tokens.length; period += 1) {
    const needed = Math.max(LEAST_TOKENS, LEAST_TIMES * period) - period;
    let run = 0;
    for (let at = period; at < tokens.length; at += 1) {
      run = tokens[at] === tokens[at - period] ? run + 1 : 0;
      if (run >= needed) return true;
    }
  }
  return false;
}

/** The published test (spec 1.6, R-30): nothing is compared, a long reply that was cut counts. */
export const repeatsAsPublished = (tokens: Int32Array, truncated: boolean): boolean =>
  truncated && tokens.length >= PUBLISHED_LENGTH;
