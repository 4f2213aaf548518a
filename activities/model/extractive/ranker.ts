import type { Encoder } from '../../search/port.ts';
import { isHan, overlap, terms } from './text.ts';

/** Scores texts against a query, 0..1 each, higher is nearer in meaning. */
export interface Ranker {
  /** True where scores see meaning and not only shared words. */
  readonly semantic: boolean;
  similarity(query: string, texts: readonly string[]): Promise<number[]>;
}

const CACHE_LIMIT = 20_000;

/** Cosine of sentence embeddings where an encoder is given, else word overlap; Chinese is always compared by words. */
export function createRanker(encoder: Encoder | null): Ranker {
  if (!encoder)
    return {
      semantic: false,
      similarity: (query, texts) => Promise.resolve(texts.map((text) => lexical(query, text))),
    };
  const vectors = new Map<string, Float32Array>();

  async function embed(
    texts: readonly string[],
    kind: 'query' | 'passage',
    active: Encoder,
  ): Promise<Float32Array[]> {
    const missing = [...new Set(texts.filter((text) => !vectors.has(`${kind} ${text}`)))];
    if (missing.length > 0) {
      if (vectors.size + missing.length > CACHE_LIMIT) vectors.clear();
      const made = await active.embed(missing, kind);
      missing.forEach((text, at) =>
        vectors.set(`${kind} ${text}`, made[at] ?? new Float32Array(active.dimensions)),
      );
    }
    return texts.map((text) => vectors.get(`${kind} ${text}`) ?? new Float32Array(active.dimensions));
  }

  return {
    semantic: true,
    async similarity(query, texts) {
      if (texts.length === 0) return [];
      if (isHan(query)) return texts.map((text) => lexical(query, text));
      const [wanted] = await embed([query], 'query', encoder);
      const rows = await embed(texts, 'passage', encoder);
      return rows.map((row) => Math.max(0, dot(wanted ?? row, row)));
    },
  };
}

const lexical = (query: string, text: string): number => overlap(terms(query), terms(text));

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at += 1) sum += (a[at] ?? 0) * (b[at] ?? 0);
  return sum;
}
