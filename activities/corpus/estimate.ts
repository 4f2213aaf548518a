import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { CorpusConfig } from '../../configs/corpus-schema.ts';
import { isLatin } from '../search/script.ts';
import { countWords } from './chunk.ts';
import { openSource } from './source.ts';

export interface IndexEstimate {
  records: number;
  passages: number;
  /** Those that get a vector. */
  encoded: number;
  seconds: number;
  /** Of the finished index; while an old one is in use both are on disk. */
  diskBytes: number;
}

const SAMPLED_RECORDS = 200;
/** Text is stored once as it is and once in its searchable form with postings (measured: about 2.2 times). */
const TEXT_FACTOR = 2.2;
/** Float32 plus the graph's quantised copy and links. */
const BYTES_PER_DIMENSION = 6;
const BYTES_PER_WORD = 6;
/** Without an encoder writing and the full-text index are what takes time. */
const WRITTEN_PER_SECOND = 5_000;

const fileBytes = async (
  config: CorpusConfig,
  index: number,
  dataDir: string,
): Promise<number | undefined> => {
  const source = config.sources[index];
  if (!source || !('path' in source)) return undefined;
  return stat(path.resolve(dataDir, source.path)).then(
    ({ size }) => size,
    () => 0,
  );
};

/**
 * Time and disk that a build will take, from the first records of each source and a measured rate of encoding in
 * passages per second (at the sampled length; 0 without an encoder). A matter of seconds even for huge files.
 */
export const estimateIndex = async (
  config: CorpusConfig,
  passagesPerSecond: number,
  options: { dataDir: string; dimensions: number },
): Promise<IndexEstimate> => {
  const total = { records: 0, passages: 0, encoded: 0, seconds: 0, diskBytes: 0 };
  for (const [index, source] of config.sources.entries()) {
    let [seen, passages, encoded, words, bytes] = [0, 0, 0, 0, 0];
    let whole = true;
    const size = await fileBytes(config, index, options.dataDir);
    for await (const record of openSource(source, config, options.dataDir).read(0)) {
      seen += 1;
      passages += record.passages.length;
      encoded += record.passages.filter(({ embed }) => config.vectors === 'all' || isLatin(embed)).length;
      const text = record.page?.text ?? record.passages.map((draft) => draft.text).join(' ');
      words += countWords(text);
      bytes += Buffer.byteLength(JSON.stringify(record.page ?? record.passages[0]?.record ?? {}));
      if (size !== undefined && seen >= SAMPLED_RECORDS) {
        whole = false;
        break;
      }
    }
    const scale = whole || size === undefined || bytes === 0 ? 1 : Math.max(1, size / bytes);
    total.records += Math.round(seen * scale);
    total.passages += Math.round(passages * scale);
    total.encoded += Math.round(encoded * scale);
    total.diskBytes += words * scale * BYTES_PER_WORD * TEXT_FACTOR;
  }
  total.diskBytes = Math.round(total.diskBytes + total.encoded * options.dimensions * BYTES_PER_DIMENSION);
  total.seconds =
    total.passages / WRITTEN_PER_SECOND + (passagesPerSecond > 0 ? total.encoded / passagesPerSecond : 0);
  return total;
};

/** One line for a person, before a build starts. */
export const printEstimate = ({ records, passages, seconds, diskBytes }: IndexEstimate): string => {
  const time =
    seconds < 120
      ? `${Math.ceil(seconds)} s`
      : seconds < 7200
        ? `${Math.round(seconds / 60)} min`
        : `${(seconds / 3600).toFixed(1)} h`;
  const disk = diskBytes < 1e9 ? `${Math.ceil(diskBytes / 1e6)} MB` : `${(diskBytes / 1e9).toFixed(1)} GB`;
  return `about ${records} records, ${passages} passages, ${time}, ${disk} of disk`;
};

/**
 * Measures how many passages of this corpus the encoder does per second, on the first ones.
 * Returns 0 for the empty encoder.
 */
export const measureRate = async (
  config: CorpusConfig,
  encoder: { dimensions: number; embed(texts: readonly string[], kind: 'passage'): Promise<unknown> },
  dataDir: string,
  count = 32,
): Promise<number> => {
  if (encoder.dimensions === 0) return 0;
  const texts: string[] = [];
  for (const source of config.sources) {
    for await (const { passages } of openSource(source, config, dataDir).read(0)) {
      const seen = passages.filter(({ embed }) => config.vectors === 'all' || isLatin(embed));
      texts.push(...seen.map(({ embed }) => embed));
      if (texts.length >= count) break;
    }
    if (texts.length >= count) break;
  }
  if (texts.length === 0) return 0;
  const started = performance.now();
  await encoder.embed(texts.slice(0, count), 'passage');
  return (Math.min(count, texts.length) * 1000) / Math.max(1, performance.now() - started);
};
