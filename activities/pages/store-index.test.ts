import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/port.ts';
import { createPageCache } from './cache.ts';
import { createStoreIndex } from './store-index.ts';

let store: Store;
beforeAll(async () => {
  store = await openStore('sqlite::memory:');
});
afterAll(() => store.close());

const page = (n: number) => ({ url: `https://e.example/${n}`, title: `Page ${n}`, text: `text ${n}` });

it('keeps pages in the store for their time, for every worker', async () => {
  let now = 1_000_000;
  const open = () =>
    createPageCache({
      blobs: store,
      index: createStoreIndex(store.documents),
      ttlMs: 60_000,
      now: () => now,
    });
  await open().put(page(1));
  expect(await open().get('https://e.example/1')).toEqual(page(1));
  now += 60_001;
  expect(await open().get('https://e.example/1')).toBeUndefined();
});

it('lets the page go that was used longest ago', async () => {
  let now = 2_000_000;
  const index = createStoreIndex(store.documents);
  const entry = { ref: 'r', expiresAt: 1e12 };
  for (const key of ['a', 'b', 'c']) await index.keep(key, entry, now);
  now += 11 * 60_000;
  await index.find('a', now);
  await index.trim(2, now);
  expect(await index.find('b', now)).toBeUndefined();
  expect(await index.find('a', now)).toEqual(entry);
});
