import { afterEach, expect, it } from 'vitest';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/port.ts';
import { createFoundUrls, linksIn } from './found-urls.ts';

let store: Store;
afterEach(() => store?.close());

it('allows what a search of this run returned, in any of its spellings, in every worker', async () => {
  store = await openStore('sqlite::memory:');
  await createFoundUrls(store).add('run-1', ['https://www.a.example/x?utm_source=s', 'https://a.example/x']);
  const found = createFoundUrls(store);
  expect(await found.allows('run-1', 'http://a.example/x/#part', false)).toBe(true);
  expect(await found.allows('run-1', 'https://a.example/y', false)).toBe(false);
  expect(await found.allows('run-2', 'https://a.example/x', false)).toBe(false);
});

it('allows links on pages that this run read, where that is wanted', async () => {
  store = await openStore('sqlite::memory:');
  const ref = await store.put(
    'See [the list](https://a.example/list_%28all%29), or http://b.example/x.\n| [c](https://c.example/) |',
  );
  await store.pages.recordRead('run-1', { agentId: 'a', url: 'https://a.example/', title: '', ref });
  const found = createFoundUrls(store);
  for (const url of ['https://a.example/list_(all)', 'https://b.example/x', 'https://c.example'])
    expect([await found.allows('run-1', url, true), await found.allows('run-1', url, false)]).toEqual([
      true,
      false,
    ]);
  expect(await found.allows('run-1', 'https://a.example/other', true)).toBe(false);
  expect(await found.allows('run-2', 'https://b.example/x', true)).toBe(false);
});

it('finds addresses in Markdown and prose', () => {
  expect(linksIn('[a](https://a.example/x?y=1#z), "https://b.example": <https://c.example/>。')).toEqual([
    'https://a.example/x?y=1#z',
    'https://b.example',
    'https://c.example/',
  ]);
});
