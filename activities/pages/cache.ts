import { z } from 'zod';
import type { Page, Unreadable } from '../search/port.ts';
import type { Blobs, Ref } from '../store/port.ts';
import { pageKey } from './canonical.ts';

/** Pages already read, by what page they are: see `pageKey`. Shared by everything that reads pages. */
export interface PageCache {
  /** The page, why it could not be read a short while ago, or undefined: not known or no longer. */
  get(url: string): Promise<Page | Unreadable | undefined>;
  /** Keeps a page that was read, also under the address that was asked for if that is another. */
  put(page: Page, askedUrl?: string): Promise<void>;
  /** Keeps a reason for `ttlMs` milliseconds; a page that is known meanwhile stays. */
  putNegative(url: string, reason: string, ttlMs: number): Promise<void>;
}

export interface CacheEntry {
  /** Of the stored record. */
  ref: Ref;
  /** Milliseconds since the epoch. */
  expiresAt: number;
}

/** A small table of the store: entries by key, least recently used out first. Each call is atomic. */
export interface CacheIndex {
  /** The entry and a note that it was used now; undefined where there is none. */
  find(key: string, now: number): Promise<CacheEntry | undefined>;
  /** Inserts or replaces. */
  keep(key: string, entry: CacheEntry, now: number): Promise<void>;
  /** Drops expired entries and, beyond `maxEntries`, those used longest ago. */
  trim(maxEntries: number, now: number): Promise<void>;
}

export interface PageCacheOptions {
  blobs: Pick<Blobs, 'put' | 'get'>;
  index: CacheIndex;
  maxEntries?: number;
  /** How long a page counts as fresh. Milliseconds. */
  ttlMs?: number;
  /** Milliseconds since the epoch. */
  now?: () => number;
}

const MAX_ENTRIES = 50_000;
const TTL_MS = 7 * 24 * 60 * 60_000;
/** Trimming costs a scan; a few entries over the bound cost nothing. */
const TRIM_EVERY = 50;

const recordSchema = z.union([
  z.object({ url: z.string(), title: z.string(), text: z.string() }),
  z.object({ url: z.string(), unreadable: z.string() }),
]);

/**
 * The cache over the store: records are blobs, the index says which and until when. A record that is gone or cannot be
 * read is a miss, so a damaged store costs a fetch and nothing more.
 */
export function createPageCache(options: PageCacheOptions): PageCache {
  const { blobs, index, maxEntries = MAX_ENTRIES, ttlMs = TTL_MS, now = Date.now } = options;
  let kept = 0;

  const read = async (key: string): Promise<Page | Unreadable | undefined> => {
    const entry = await index.find(key, now());
    if (!entry || entry.expiresAt <= now()) return undefined;
    const text = await blobs.get(entry.ref).catch(() => undefined);
    const record = text === undefined ? undefined : recordSchema.safeParse(parseJson(text));
    return record?.success ? record.data : undefined;
  };

  const write = async (keys: readonly string[], record: Page | Unreadable, lifeMs: number): Promise<void> => {
    const ref = await blobs.put(JSON.stringify(record));
    for (const key of keys) await index.keep(key, { ref, expiresAt: now() + lifeMs }, now());
    kept += keys.length;
    if (kept < Math.min(TRIM_EVERY, maxEntries)) return;
    kept = 0;
    await index.trim(maxEntries, now());
  };

  return {
    get: (url) => read(pageKey(url)),
    put: ({ url, title, text }, askedUrl = url) =>
      write([...new Set([pageKey(url), pageKey(askedUrl)])], { url, title, text }, ttlMs),
    putNegative: async (url, reason, lifeMs) => {
      const known = await read(pageKey(url));
      if (!known || 'unreadable' in known) await write([pageKey(url)], { url, unreadable: reason }, lifeMs);
    },
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
