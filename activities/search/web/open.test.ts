import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { createMemoryIndex } from '../../pages/cache-index.fake.ts';
import { createPageCache } from '../../pages/cache.ts';
import { article, body, byPath, startSite } from '../../pages/test-web.fake.ts';
import type { WebSearchInput } from '../../../configs/web-schema.ts';
import { openWebSearch } from './open.ts';

const signal = (): AbortSignal => new AbortController().signal;

it('searches, reads what it found, and reads it once', async () => {
  const site = await startSite(
    byPath({
      '/search': (request, response) =>
        void request
          .resume()
          .on('end', () =>
            response.end(
              JSON.stringify({ organic: [{ title: 'Page', link: `${site.url}/page`, snippet: 'about it' }] }),
            ),
          ),
      '/page': body(article('The page')),
    }),
  );
  const texts = new Map<string, string>();
  const blobs = {
    put: async (text: string) => {
      const ref = createHash('sha256').update(text).digest('hex');
      texts.set(ref, text);
      return ref;
    },
    get: async (ref: string) => texts.get(ref) ?? '',
  };
  const provider = openWebSearch(
    {
      searcher: { kind: 'serper', endpoint: `${site.url}/search` },
      reader: { kind: 'direct', allow: ['127.0.0.1'], respectRobots: false },
    },
    {
      env: { SERPER_API_KEY: 'k'.repeat(20) },
      cache: createPageCache({ blobs, index: createMemoryIndex() }),
    },
  );
  const [hit] = await provider.search('page', 3, signal());
  const url = hit?.url ?? '';
  const pages = await Promise.all([1, 2, 3].map((n) => provider.access(`${url}?utm_source=${n}`, signal())));
  expect(pages.every((page) => 'title' in page && page.title === 'The page')).toBe(true);
  expect(site.paths()).toEqual(['/search', '/page']);
  await provider.close();
  await site.stop();
});

it.each<[WebSearchInput, RegExp]>([
  [{ searcher: { kind: 'serper', apiKeyEnv: 'sk-123' } }, /search\.web\.searcher\.apiKeyEnv/],
  [{ searcher: { kind: 'serper' }, reader: { kind: 'direct', maxBytes: 1 } }, /reader\.maxBytes/],
  [{ searcher: { kind: 'serper' }, reader: { kind: 'direct', allow: ['10.0.0.0/99'] } }, /pages\.allow/],
  [{ searcher: { kind: 'mcp' } }, /command.*url/],
])('refuses %j', (config, message) => {
  expect(() => openWebSearch(config)).toThrow(message);
});
