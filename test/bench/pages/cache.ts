import { createPageCache } from '../../../activities/pages/cache.ts';
import { createStoreIndex } from '../../../activities/pages/store-index.ts';
import { article, startSite, type TestSite } from '../../../activities/pages/test-web.fake.ts';
import { openWebSearch } from '../../../activities/search/web/open.ts';
import { openStore } from '../../../activities/store/open.ts';

export interface CacheRow {
  cached: boolean;
  searches: number;
  fetches: number;
  wallMs: number;
}

const AGENTS = 10;
const PAGES = 10;
const QUERIES = 3;
const SEARCH_MS = 200;
const PAGE_MS = 100;

/** Ten agents that make the same three searches and read the same ten pages, each in an order of its own. */
export async function benchCache(): Promise<CacheRow[]> {
  const rows: CacheRow[] = [];
  for (const cached of [false, true]) rows.push(await run(cached));
  return rows;
}

async function run(cached: boolean): Promise<CacheRow> {
  const store = await openStore('sqlite::memory:');
  const site: TestSite = await startSite((request, response) => {
    const isSearch = request.url === '/search';
    const links = Array.from({ length: PAGES }, (_, n) => ({
      title: `P${n}`,
      link: `${site.url}/${n}`,
      snippet: 's',
    }));
    request.resume();
    setTimeout(
      () => {
        response.setHeader('content-type', isSearch ? 'application/json' : 'text/html');
        response.end(isSearch ? JSON.stringify({ organic: links }) : article(`Page ${request.url}`));
      },
      isSearch ? SEARCH_MS : PAGE_MS,
    );
  });
  const provider = openWebSearch(
    {
      searcher: { kind: 'serper', endpoint: `${site.url}/search` },
      // Without pauses between pages of a host: they would make the cache look better than it is.
      reader: { kind: 'direct', allow: ['127.0.0.1'], respectRobots: false, perHost: 100, hostDelayMs: 0 },
    },
    {
      env: { SERPER_API_KEY: 'k'.repeat(20) },
      ...(cached
        ? {
            documents: store.documents,
            cache: createPageCache({ blobs: store, index: createStoreIndex(store.documents) }),
          }
        : {}),
    },
  );
  const agent = async (index: number): Promise<void> => {
    const { signal } = new AbortController();
    for (let n = 0; n < QUERIES; n++) await provider.search(`query ${(n + index) % QUERIES}`, PAGES, signal);
    for (let n = 0; n < PAGES; n++) {
      const page = await provider.access(`${site.url}/${(n + index) % PAGES}`, signal);
      if ('unreadable' in page) throw new Error(`cannot read ${page.url}: ${page.unreadable}`);
    }
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: AGENTS }, (_, index) => agent(index)));
  const wallMs = performance.now() - start;
  const searches = site.paths().filter((path) => path === '/search').length;
  await provider.close();
  await site.stop();
  await store.close();
  return { cached, searches, fetches: site.paths().length - searches, wallMs };
}
