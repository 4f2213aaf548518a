import { pageKey } from '../pages/canonical.ts';
import { sha256 } from '../store/hashing.ts';
import type { Store } from '../store/port.ts';

/** Which addresses a run has come across. */
export interface FoundUrls {
  /** Remembers addresses that a search of the run returned, or that a page it read turned out to have. */
  add(runId: string, urls: readonly string[]): Promise<void>;
  /** Whether the run may open an address: it was found, or, with `links`, a page that was read links to it. */
  allows(runId: string, url: string, links: boolean): Promise<boolean>;
}

const COLLECTION = 'found-urls';
/** Addresses of all runs together; the oldest go first, long after their runs. */
const MAX_ENTRIES = 1_000_000;
const TRIM_EVERY = 2_000;
const KEPT_MS = 30 * 24 * 60 * 60_000;
/** Pages whose links stay in memory. */
const MAX_PAGES = 500;

/** Found addresses in the store, so that every worker and a resumed run know them. Addresses of one page are one. */
export function createFoundUrls(
  store: Pick<Store, 'documents' | 'pages' | 'get'>,
  now: () => number = Date.now,
): FoundUrls {
  const links = new Map<string, Promise<Set<string>>>();
  let written = 0;
  const keyOf = (runId: string, url: string): string => sha256(`${runId}\n${pageKey(url)}`);

  const linksOf = (ref: string): Promise<Set<string>> => {
    const known = links.get(ref);
    if (known) return known;
    if (links.size >= MAX_PAGES) links.delete(links.keys().next().value!);
    const reading = store.get(ref).then((text) => new Set(linksIn(text).map(pageKey)));
    reading.catch(() => links.delete(ref));
    links.set(ref, reading);
    return reading;
  };

  return {
    add: async (runId, urls) => {
      for (const key of new Set(urls.map((url) => keyOf(runId, url)))) {
        await store.documents.put(COLLECTION, key, true, now() + KEPT_MS);
        if (++written % TRIM_EVERY === 0) await store.documents.trim(COLLECTION, MAX_ENTRIES);
      }
    },
    allows: async (runId, url, withLinks) => {
      if ((await store.documents.get(COLLECTION, keyOf(runId, url), now())) !== undefined) return true;
      if (!withLinks) return false;
      const wanted = pageKey(url);
      for (const { ref } of await store.pages.reads(runId)) if ((await linksOf(ref)).has(wanted)) return true;
      return false;
    },
  };
}

/** Addresses in a text, as links of Markdown or bare. */
export const linksIn = (text: string): string[] =>
  (text.match(/https?:\/\/[^\s<>"'|\\^`{}[\])]+/gi) ?? []).map((url) => url.replace(/[.,;:!?]+$/, ''));
