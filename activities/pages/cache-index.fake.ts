import type { CacheEntry, CacheIndex } from './cache.ts';

/** An index in memory, with the order of use as the order of its map. `size()` counts what it holds. */
export function createMemoryIndex(): CacheIndex & { size(): number } {
  const entries = new Map<string, CacheEntry>();
  return {
    find: async (key) => {
      const entry = entries.get(key);
      if (!entry) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      return entry;
    },
    keep: async (key, entry) => {
      entries.delete(key);
      entries.set(key, entry);
    },
    trim: async (maxEntries, now) => {
      for (const [key, entry] of entries) if (entry.expiresAt <= now) entries.delete(key);
      for (const key of entries.keys()) {
        if (entries.size <= maxEntries) break;
        entries.delete(key);
      }
    },
    size: () => entries.size,
  };
}
