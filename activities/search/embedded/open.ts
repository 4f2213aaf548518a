import type { Table } from '@lancedb/lancedb';
import { WideseekError } from '../../../domain/errors.ts';
import { canonicalUrl } from '../canonical-url.ts';
import { fuseRankings } from '../fuse.ts';
import type { IndexManifest } from '../index-port.ts';
import type { Encoder, Hit, SearchProvider } from '../port.ts';
import { isLatin } from '../script.ts';
import { searchTerms } from '../terms.ts';
import { generationDir, manifestStamp, readManifest } from './manifest.ts';
import { openTables } from './tables.ts';
import type { IndexTables } from './tables.ts';

const POINTER_CHECK_MS = 1_000;
/** Candidates that each ranking gives to the fusion: enough that a hit low in one list still counts. */
const MIN_CANDIDATES = 30;
const SEARCH_WIDTH = 300;
const REFINE = 3;
const MAX_QUERY_CHARACTERS = 2_000;

interface Row extends Omit<Hit, 'score'> {
  id: bigint;
}
const COLUMNS = ['id', 'url', 'title', 'text'];

interface Opened extends IndexTables {
  manifest: IndexManifest;
}

const openCurrent = async (dir: string, encoder: Encoder): Promise<Opened> => {
  const manifest = await readManifest(dir);
  if (!manifest)
    throw new WideseekError('NotFound', `no search index in ${dir}`, {
      hint: 'Build one with `wideseek index configs/corpus/sample.yaml`.',
    });
  if (manifest.dimensions > 0 && encoder.dimensions > 0 && manifest.encoder !== encoder.name)
    throw new WideseekError(
      'ConfigError',
      `the index in ${dir} was built with the encoder ${manifest.encoder}, not ${encoder.name}`,
      { hint: 'Open it with the same encoder or build it again.' },
    );
  return { manifest, ...(await openTables(generationDir(dir, manifest.generation))) };
};

const byWords = async (passages: Table, query: string, limit: number): Promise<Row[]> => {
  const terms = searchTerms(query).trim();
  if (terms === '') return [];
  return (await passages
    .query()
    .fullTextSearch(terms, { columns: ['terms'] })
    .select([...COLUMNS, '_score'])
    .limit(limit)
    .toArray()) as Row[];
};

const byMeaning = async (passages: Table, vector: Float32Array, limit: number): Promise<Row[]> =>
  (await passages
    .query()
    .nearestTo(vector)
    .distanceType('cosine')
    .ef(SEARCH_WIDTH)
    .refineFactor(REFINE)
    .select([...COLUMNS, '_distance'])
    .limit(limit)
    .toArray()) as Row[];

export interface EmbeddedSearch extends SearchProvider {
  /** What the index in use says about itself; `encoder: 'none'` where only words are searched. */
  describe(): Promise<IndexManifest & { mode: 'hybrid' | 'words' }>;
}

/**
 * Searches the index under `dir` by meaning and by words, fused by reciprocal rank; by words only where the index
 * or the caller has no encoder. A rebuilt index is picked up within a second, without a restart.
 * Throws `NotFound` without an index, `ConfigError` where it was built with another encoder.
 */
export const openEmbeddedSearch = async (options: {
  dir: string;
  encoder: Encoder;
}): Promise<EmbeddedSearch> => {
  const { dir, encoder } = options;
  let stamp = await manifestStamp(dir);
  let checkedAt = Date.now();
  let opened = openCurrent(dir, encoder);
  await opened;

  const current = async (): Promise<Opened> => {
    if (Date.now() - checkedAt >= POINTER_CHECK_MS) {
      checkedAt = Date.now();
      const latest = await manifestStamp(dir);
      if (latest !== stamp) {
        const next = openCurrent(dir, encoder);
        await next;
        stamp = latest;
        opened = next;
      }
    }
    return opened;
  };

  const usesVectors = (manifest: IndexManifest): boolean => manifest.dimensions > 0 && encoder.dimensions > 0;

  return {
    name: 'embedded',
    describe: async () => {
      const { manifest } = await current();
      return { ...manifest, mode: usesVectors(manifest) ? 'hybrid' : 'words' };
    },
    search: async (query, topK, signal) => {
      signal.throwIfAborted();
      const { manifest, passages } = await current();
      const asked = query.trim().slice(0, MAX_QUERY_CHARACTERS);
      if (asked === '' || topK < 1 || manifest.passages === 0) return [];
      const candidates = Math.max(MIN_CANDIDATES, topK * 2);
      const words = byWords(passages, asked, candidates);
      const meaning =
        usesVectors(manifest) && (manifest.vectors !== 'latin' || isLatin(asked))
          ? encoder
              .embed([asked], 'query')
              .then(([vector]) => byMeaning(passages, vector ?? new Float32Array(), candidates))
          : Promise.resolve([]);
      const lists = await Promise.all([meaning, words]);
      signal.throwIfAborted();
      return fuseRankings(lists, (row) => row.id)
        .slice(0, topK)
        .map(({ item: { url, title, text }, score }) => ({ url, title, text, score }));
    },
    access: async (url, signal) => {
      signal.throwIfAborted();
      const { pages } = await current();
      const key = canonicalUrl(url).replaceAll("'", "''");
      const [row] = (await pages
        .query()
        .where(`key = '${key}'`)
        .select(['id', 'url', 'title', 'text'])
        .orderBy({ columnName: 'id', ascending: false })
        .limit(1)
        .toArray()) as { url: string; title: string; text: string }[];
      return row ? { url: row.url, title: row.title, text: row.text } : { url, unreadable: 'not_found' };
    },
  };
};
