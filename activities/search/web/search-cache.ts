import { z } from 'zod';
import { createSingleFlight } from '../../pages/single-flight.ts';
import { canonicalJson, sha256 } from '../../store/hashing.ts';
import type { Documents } from '../../store/port.ts';
import type { Hit } from '../port.ts';
import type { Searcher } from './serper.ts';

export interface SearchCacheOptions {
  documents: Pick<Documents, 'put' | 'get' | 'trim'>;
  /** What tells one search service from another: kind, address, language, country. No secrets. */
  identity: unknown;
  /** How long results count as fresh. Hours. */
  hours: number;
  /** The same where there were none. Minutes. */
  emptyMinutes: number;
  /** Searches that are kept, of all services together. */
  entries: number;
  /** Milliseconds since the epoch. */
  now?: () => number;
}

const COLLECTION = 'search-cache';
/** Trimming costs a look at the table; a few entries over the bound cost nothing. */
const TRIM_EVERY = 50;
/** A reply that is longer than this is not kept. Characters. */
const MAX_CHARS = 256 * 1024;

const recordSchema = z.object({
  hits: z.array(
    z.object({ url: z.string(), title: z.string(), text: z.string(), score: z.number().optional() }),
  ),
});

/**
 * A searcher that pays for each search once while its results are fresh: replies are shared through the store by
 * everybody who asks the same service for the same query and count, and who asks at the same time in one process shares
 * one call. Only what the service answered is kept, "no results" for a short while; failures never. A cache that
 * fails never fails a search. Two processes that ask at the same moment may both pay; the later reply is kept.
 */
export function createCachedSearch(searcher: Searcher, options: SearchCacheOptions): Searcher {
  const { documents, identity, now = Date.now } = options;
  const once = createSingleFlight<Hit[]>();
  let kept = 0;

  const keep = async (key: string, hits: Hit[]): Promise<void> => {
    const record = { hits };
    if (JSON.stringify(record).length > MAX_CHARS) return;
    const life = hits.length > 0 ? options.hours * 3_600_000 : options.emptyMinutes * 60_000;
    if (life <= 0) return;
    await documents.put(COLLECTION, key, record, now() + life);
    if (++kept % Math.min(TRIM_EVERY, options.entries) === 0)
      await documents.trim(COLLECTION, options.entries);
  };

  return {
    name: searcher.name,
    search: (query, topK, signal) => {
      // Case and spaces stay: services may tell `US` from `us`, and quotes and operators are part of the query.
      const key = sha256(canonicalJson([identity, query.trim(), topK]));
      return once(key, signal, async (shared) => {
        const found = recordSchema.safeParse(
          await documents.get(COLLECTION, key, now()).catch(() => undefined),
        );
        if (found.success) return found.data.hits;
        const hits = await searcher.search(query, topK, shared);
        await keep(key, hits).catch(() => undefined);
        return hits;
      });
    },
  };
}
