import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chunkText } from '../../../activities/corpus/chunk.ts';
import { buildSampleCorpus } from '../../../activities/datasets/sample/corpus.ts';
import { openEmbeddedSearch } from '../../../activities/search/embedded/open.ts';
import { createEmbeddedIndex } from '../../../activities/search/embedded/target.ts';
import { openEncoder } from '../../../activities/search/encoder/open.ts';
import type { Encoder, SearchProvider } from '../../../activities/search/port.ts';
import { ensureEncoderFiles } from '../../../infra/local/artifacts.ts';
import { type CpuUse, meterCpu } from '../cpu.ts';
import { quantile } from '../stats.ts';
import { exactNearest, near, randomFrom, recall } from './vectors.ts';

export interface Rate {
  perSecond: number;
  /** CPU milliseconds of one passage or query. */
  cpuMs: number;
  use: CpuUse;
}

export interface SearchRate extends Rate {
  name: string;
  p50: number;
  p99: number;
}

export interface IndexResult {
  passages: number;
  encoder: string;
  encode: Rate;
  build: Rate;
  search: SearchRate[];
  /** Mean recall@10 of the index against a full scan, by vectors alone. */
  recall: number;
}

export interface IndexOptions {
  passages: number;
  /** Texts that are really encoded; the other vectors are scattered around these. */
  encoded: number;
  queries: number;
  log: (line: string) => void;
  /** Default: the embedded encoder, which is fetched where it is missing. */
  encoder?: Encoder;
}

const TOP = 10;
const BATCH = 1_000;
/** How far the vectors of one cluster scatter: neighbours have a cosine of about 0.9. */
const SPREAD = 0.33;
const SEED = 1;
const GENERATION = 'be0c';
const signal = new AbortController().signal;

/** Part (c): encoding, building and searching the embedded index. */
export async function benchIndex(options: IndexOptions): Promise<IndexResult> {
  const { log } = options;
  const encoder = options.encoder ?? (await openEncoder('minilm', () => ensureEncoderFiles()));
  if (encoder.dimensions === 0) throw new Error('there is no encoder: this part measures search by meaning');
  const dir = await mkdtemp(join(tmpdir(), 'wideseek-bench-index-'));
  try {
    const texts = sampleTexts(options.encoded);
    log(`index: encoding ${texts.length} passages`);
    const { result: centres, ...encode } = await timed(texts.length, () => encoder.embed(texts, 'passage'));

    const random = randomFrom(SEED);
    const vectors = Array.from({ length: options.passages }, (_, i) =>
      near(centres[i % centres.length]!, SPREAD, random),
    );
    log(`index: building ${vectors.length} passages`);
    const { result: _, ...build } = await timed(vectors.length, () =>
      buildIndex(dir, encoder, texts, vectors),
    );

    log(`index: searching`);
    const asked = texts.flatMap((text) => questionFrom(text, random)).slice(0, options.queries);
    const hybrid = await openEmbeddedSearch({ dir, encoder });
    const search = [
      await timeQueries('search, one at a time', hybrid, asked, 1),
      await timeQueries('search, 8 at once', hybrid, asked, 8),
    ];
    const named = nameVectors(centres, options.queries, random);
    const byVector = await openEmbeddedSearch({ dir, encoder: answering(encoder, named) });
    search.push(await timeQueries('vectors alone, encoded before', byVector, [...named.keys()], 1));
    return {
      passages: vectors.length,
      encoder: encoder.name,
      encode,
      build,
      search,
      recall: await meanRecall(byVector, vectors, named),
    };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** Passages of about 100 words out of the sample corpus, each once. */
function sampleTexts(count: number): string[] {
  const texts = new Set<string>();
  for (const page of buildSampleCorpus().pages) {
    for (const text of chunkText(page.contents, 100)) texts.add(`${page.title}\n${text}`);
    if (texts.size >= count) break;
  }
  return [...texts].slice(0, count);
}

/** A question of five words that stand next to each other in `text`. */
function questionFrom(text: string, random: () => number): string[] {
  const words = text.match(/\p{L}{2,}/gu) ?? [];
  const start = Math.floor(random() * Math.max(1, words.length - 5));
  return words.length < 5 ? [] : [words.slice(start, start + 5).join(' ')];
}

async function buildIndex(
  dir: string,
  encoder: Encoder,
  texts: readonly string[],
  vectors: readonly Float32Array[],
): Promise<void> {
  const target = createEmbeddedIndex(dir);
  await target.prepare(GENERATION, encoder.dimensions);
  for (let start = 0; start < vectors.length; start += BATCH) {
    const chunk = vectors.slice(start, start + BATCH);
    const passages = chunk.map((_, offset) => ({
      id: start + offset,
      url: String(start + offset),
      title: '',
      text: texts[(start + offset) % texts.length]!,
      record: {},
    }));
    await target.write(passages, chunk);
  }
  await target.finish(signal);
  await target.publish({
    generation: GENERATION,
    encoder: encoder.name,
    dimensions: encoder.dimensions,
    passages: vectors.length,
    pages: 0,
  });
}

async function timed<T>(count: number, work: () => Promise<T>): Promise<Rate & { result: T }> {
  const stop = meterCpu({});
  const result = await work();
  const use = stop();
  return { result, use, perSecond: count / (use.wallMs / 1000), cpuMs: (1000 * use.seconds.driver!) / count };
}

/** Sends the queries in `lanes` at once; every latency counts, after a few queries to warm up. */
async function timeQueries(
  name: string,
  search: SearchProvider,
  queries: readonly string[],
  lanes: number,
): Promise<SearchRate> {
  for (const query of queries.slice(0, 5)) await search.search(query, TOP, signal);
  const times: number[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < queries.length) {
      const query = queries[next++]!;
      const start = performance.now();
      await search.search(query, TOP, signal);
      times.push(performance.now() - start);
    }
  };
  const { result: _, ...rate } = await timed(queries.length, () =>
    Promise.all(Array.from({ length: lanes }, lane)),
  );
  return { ...rate, name, p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
}

/** Query vectors of their own near the clusters, by a name that stands in no passage: no word of it can be found. */
const nameVectors = (
  centres: readonly Float32Array[],
  count: number,
  random: () => number,
): Map<string, Float32Array> =>
  new Map(
    Array.from({ length: count }, (_, i) => [
      `qzvx${i}`,
      near(centres[Math.floor(random() * centres.length)]!, SPREAD, random),
    ]),
  );

/** An encoder that knows the vectors of these queries already. */
const answering = (encoder: Encoder, known: ReadonlyMap<string, Float32Array>): Encoder => ({
  ...encoder,
  embed: async (texts) => texts.map((text) => known.get(text)!),
});

async function meanRecall(
  search: SearchProvider,
  vectors: readonly Float32Array[],
  queries: ReadonlyMap<string, Float32Array>,
): Promise<number> {
  let sum = 0;
  for (const [name, vector] of queries) {
    const hits = await search.search(name, TOP, signal);
    sum += recall(
      exactNearest(vectors, vector, TOP),
      hits.map(({ url }) => Number(url)),
    );
  }
  return sum / queries.size;
}
