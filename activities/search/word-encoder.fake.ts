import type { Encoder } from './port.ts';

const DIMENSIONS = 64;

const bucket = (word: string): number => {
  let hash = 7;
  for (const character of word) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) >>> 0;
  return hash % DIMENSIONS;
};

/** A fake for tests: texts that share words have vectors that point the same way. Counts what it embedded. */
export const createWordEncoder = (name = 'words-64'): Encoder & { embedded: string[] } => {
  const embedded: string[] = [];
  return {
    name,
    dimensions: DIMENSIONS,
    embedded,
    embed: async (texts, kind) => {
      if (kind === 'passage') embedded.push(...texts);
      return texts.map((text) => {
        const vector = new Float32Array(DIMENSIONS).fill(0.001);
        for (const word of text.toLowerCase().match(/\p{Script=Han}|[a-z]+/gu) ?? [])
          vector[bucket(word)]! += 1;
        const length = Math.hypot(...vector);
        return vector.map((value) => value / length);
      });
    },
  };
};
