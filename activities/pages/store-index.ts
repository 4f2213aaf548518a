import { z } from 'zod';
import type { Documents } from '../store/port.ts';
import type { CacheIndex } from './cache.ts';

const COLLECTION = 'page-cache';
/** A use is noted at most this often, so that a popular page does not cost a write each time. */
const NOTE_EVERY_MS = 10 * 60_000;

const entrySchema = z.object({ ref: z.string(), expiresAt: z.number(), usedAt: z.number() });

/** The page cache's index in the store, shared by all workers: least recently used pages go first. */
export function createStoreIndex(documents: Documents): CacheIndex {
  const keep: CacheIndex['keep'] = (key, { ref, expiresAt }, now) =>
    documents.put(COLLECTION, key, { ref, expiresAt, usedAt: now }, expiresAt);
  return {
    keep,
    find: async (key, now) => {
      const found = entrySchema.safeParse(await documents.get(COLLECTION, key, now));
      if (!found.success) return undefined;
      const { ref, expiresAt, usedAt } = found.data;
      if (now - usedAt > NOTE_EVERY_MS) await keep(key, { ref, expiresAt }, now);
      return { ref, expiresAt };
    },
    trim: async (maxEntries) => void (await documents.trim(COLLECTION, maxEntries)),
  };
}
