import type { Page, Unreadable } from '../search/port.ts';
import type { PageCache } from './cache.ts';
import { cleanUrl, pageKey } from './canonical.ts';
import type { PageReader } from './direct-reader.ts';
import { isBrief } from './reasons.ts';
import { createSingleFlight } from './single-flight.ts';

export interface CachedReaderOptions {
  read: PageReader;
  cache: PageCache;
  /** How long a reason that may pass (a time-out) is remembered. Milliseconds. */
  briefMs?: number;
  /** The same for a reason that will not (not found). Milliseconds. */
  lastingMs?: number;
}

const BRIEF_MS = 60_000;
const LASTING_MS = 15 * 60_000;

/**
 * A reader that reads each page once: known pages come from the cache, and agents that ask for the same page at the
 * same time share one fetch. Reasons are remembered only for a while. A cache that fails never fails the reading.
 */
export function createCachedReader(options: CachedReaderOptions): PageReader {
  const { read, cache, briefMs = BRIEF_MS, lastingMs = LASTING_MS } = options;
  const once = createSingleFlight<Page | Unreadable>();

  const fetchAndKeep = async (url: string, signal: AbortSignal): Promise<Page | Unreadable> => {
    const known = await cache.get(url).catch(() => undefined);
    if (known) return known;
    const page = await read(cleanUrl(url), signal);
    const keep =
      'unreadable' in page
        ? cache.putNegative(url, page.unreadable, isBrief(page.unreadable) ? briefMs : lastingMs)
        : cache.put(page, url);
    await keep.catch(() => undefined);
    return page;
  };

  return (url, signal) => once(pageKey(url), signal, (shared) => fetchAndKeep(url, shared));
}
