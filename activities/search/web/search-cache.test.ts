import { afterEach, describe, expect, it } from 'vitest';
import { openStore } from '../../store/open.ts';
import type { Store } from '../../store/port.ts';
import { createCachedSearch, type SearchCacheOptions } from './search-cache.ts';
import type { Searcher } from './serper.ts';

const signal = (): AbortSignal => new AbortController().signal;
const stores: Store[] = [];
afterEach(() => Promise.all(stores.splice(0).map((store) => store.close())));
const open = async (): Promise<Store> => {
  const store = await openStore('sqlite::memory:');
  stores.push(store);
  return store;
};
const hit = (name: string) => ({ url: `https://a.example/${name}`, title: name, text: 'text' });

/** Answers every query with one hit of its name; `none` with nothing, `fail` with an error. */
function service(): Searcher & { asked: string[] } {
  const asked: string[] = [];
  return {
    name: 'service',
    asked,
    search: async (query, topK) => {
      asked.push(`${query}/${topK}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
      if (query === 'fail') throw new Error('HTTP 500');
      return query === 'none' ? [] : [hit(query)];
    },
  };
}
const settings = { identity: { kind: 'serper' }, hours: 1, emptyMinutes: 5, entries: 100 };
const MINUTE = 60_000;

async function setUp(more: Partial<SearchCacheOptions> = {}) {
  const { documents } = await open();
  const searcher = service();
  let time = 1_000_000;
  const worker = (other: Partial<SearchCacheOptions> = {}) =>
    createCachedSearch(searcher, { documents, ...settings, now: () => time, ...more, ...other });
  return { searcher, worker, documents, pass: (ms: number) => (time += ms) };
}

describe('a cached searcher', () => {
  it('asks once for ten agents at the same time, again later, and for other workers', async () => {
    const { searcher, worker } = await setUp();
    const [one, two] = [worker(), worker()];
    const found = await Promise.all(Array.from({ length: 10 }, () => one.search('ferry', 3, signal())));
    expect(found).toEqual(Array.from({ length: 10 }, () => [hit('ferry')]));
    expect(await one.search(' ferry ', 3, signal())).toEqual([hit('ferry')]);
    expect(await two.search('ferry', 3, signal())).toEqual([hit('ferry')]);
    expect(searcher.asked).toEqual(['ferry/3']);
  });

  it('tells queries, counts and services apart', async () => {
    const { searcher, worker } = await setUp();
    const search = worker();
    await search.search('ferry', 3, signal());
    await search.search('Ferry', 3, signal());
    await search.search('ferry', 5, signal());
    await worker({ identity: { kind: 'serper', language: 'de' } }).search('ferry', 3, signal());
    expect(searcher.asked).toEqual(['ferry/3', 'Ferry/3', 'ferry/5', 'ferry/3']);
  });

  it('asks again when results are old, and sooner where there were none', async () => {
    const { searcher, worker, pass } = await setUp();
    const search = worker();
    for (const query of ['ferry', 'none', 'ferry', 'none']) await search.search(query, 3, signal());
    expect(searcher.asked).toHaveLength(2);
    pass(6 * MINUTE);
    expect(await search.search('none', 3, signal())).toEqual([]);
    await search.search('ferry', 3, signal());
    expect(searcher.asked).toEqual(['ferry/3', 'none/3', 'none/3']);
    pass(60 * MINUTE);
    await search.search('ferry', 3, signal());
    expect(searcher.asked).toHaveLength(4);
  });

  it('never keeps a failure', async () => {
    const { searcher, worker } = await setUp();
    const search = worker();
    await expect(search.search('fail', 3, signal())).rejects.toThrow('HTTP 500');
    await expect(search.search('fail', 3, signal())).rejects.toThrow('HTTP 500');
    expect(searcher.asked).toHaveLength(2);
  });

  it('stays within its bound', async () => {
    const { worker, documents } = await setUp({ entries: 4 });
    const search = worker();
    for (let n = 0; n < 21; n++) await search.search(`q${n}`, 3, signal());
    expect((await documents.list('search-cache')).length).toBeLessThanOrEqual(4 + 4);
  });

  it('searches where the store is down or holds nonsense', async () => {
    const { searcher, documents } = await setUp();
    const broken = (): Promise<never> => Promise.reject(new Error('disk'));
    const down = createCachedSearch(searcher, {
      ...settings,
      documents: { put: broken, get: broken, trim: broken },
    });
    expect(await down.search('ferry', 3, signal())).toEqual([hit('ferry')]);
    const odd = createCachedSearch(searcher, {
      ...settings,
      documents: { ...documents, get: async () => ({ hits: 'many' }) },
    });
    expect(await odd.search('ferry', 3, signal())).toEqual([hit('ferry')]);
  });
});
