/** Indices of texts that run through the model together, padded to the longest of them. */
export type Batch = readonly number[];

/**
 * Groups texts of similar length, so that little of a batch is padding. No batch has more than `maxTexts` texts
 * or `maxTokens` tokens with padding, except a single text that is longer by itself.
 */
export const bucketByLength = (lengths: readonly number[], maxTexts: number, maxTokens: number): Batch[] => {
  const order = lengths.map((_, index) => index).sort((a, b) => (lengths[a] ?? 0) - (lengths[b] ?? 0));
  const batches: number[][] = [];
  let current: number[] = [];
  for (const index of order) {
    const padded = (lengths[index] ?? 0) * (current.length + 1);
    if (current.length > 0 && (current.length >= maxTexts || padded > maxTokens)) {
      batches.push(current);
      current = [];
    }
    current.push(index);
  }
  if (current.length > 0) batches.push(current);
  return batches;
};
