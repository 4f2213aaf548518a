export type Pooling = 'mean' | 'cls';

/** Scales to length 1 in place; a zero vector stays zero. */
const normalise = (vector: Float32Array): Float32Array => {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  if (length > 0) for (let i = 0; i < vector.length; i += 1) vector[i] = (vector[i] ?? 0) / length;
  return vector;
};

/**
 * One unit vector per text from the model's last hidden state.
 * `hidden` is row-major [texts, width, dimensions]; `lengths` counts each text's real tokens, padding is on the right.
 */
export const pool = (
  hidden: Float32Array,
  width: number,
  dimensions: number,
  lengths: readonly number[],
  pooling: Pooling,
): Float32Array[] =>
  lengths.map((length, text) => {
    const start = text * width * dimensions;
    if (pooling === 'cls') return normalise(hidden.slice(start, start + dimensions));
    const mean = new Float32Array(dimensions);
    for (let token = 0; token < length; token += 1)
      for (let d = 0; d < dimensions; d += 1)
        mean[d] = (mean[d] ?? 0) + (hidden[start + token * dimensions + d] ?? 0) / length;
    return normalise(mean);
  });
