import { describe, expect, it } from 'vitest';
import { loadCorpus } from '../../configs/corpus-schema.ts';
import { openCorpus } from '../corpus/open.ts';
import { targetOf } from '../corpus/activities.ts';
import { createMemorySearch } from './memory.ts';

const signal = new AbortController().signal;
const passages = [
  { url: 'u:oslo', title: 'Oslo', text: 'Oslo is the capital of Norway and lies at the head of a fjord.' },
  { url: 'u:fjord', title: 'Fjord', text: 'A fjord is a long inlet. Norway has many.' },
  { url: 'u:helium', title: 'Helium', text: 'Helium is a noble gas.' },
];
const search = createMemorySearch('test', passages, [{ url: 'u:oslo', title: 'Oslo', text: 'All of it.' }]);
const urls = async (query: string, topK = 3): Promise<string[]> =>
  (await search.search(query, topK, signal)).map(({ url }) => url);

describe('createMemorySearch', () => {
  it('ranks by words, those of titles first, whatever their case', async () => {
    expect(await urls('FJORD norway')).toEqual(['u:fjord', 'u:oslo']);
    expect(await urls('oslo')).toEqual(['u:oslo']);
    expect(await urls('fjord', 1)).toEqual(['u:fjord']);
  });

  it('finds nothing for words that do not occur, and keeps the order of equals', async () => {
    expect(await urls('zebra')).toEqual([]);
    expect(await urls('')).toEqual([]);
    const twins = [1, 2].map((n) => ({ url: `u:${n}`, title: 'Twin', text: 'same' }));
    const hits = await createMemorySearch('twins', twins, []).search('twin', 2, signal);
    expect(hits.map(({ url }) => url)).toEqual(['u:1', 'u:2']);
  });

  it('reads pages that it has', async () => {
    expect(await search.access('u:oslo', signal)).toMatchObject({ text: 'All of it.' });
    expect(await search.access('u:none', signal)).toEqual({ url: 'u:none', unreadable: 'not_found' });
  });
});

describe('a corpus in memory', () => {
  it('is opened without an encoder or an index and cannot be built', async () => {
    const corpus = await loadCorpus('mini');
    const provider = await openCorpus(corpus, {
      indexDir: '/nowhere',
      encoderFor: () => Promise.reject(new Error('no encoder is needed')),
      env: {},
    });
    const [hit] = await provider.search('members of Misty House', 1, signal);
    expect(hit).toMatchObject({
      title: 'members of Misty House',
      text: expect.stringMatching(/^Misty House/) as string,
    });
    expect(await provider.access(hit!.url, signal)).toMatchObject({ title: hit!.title, text: hit!.text });
    expect(() => targetOf(corpus, { indexDir: '/nowhere' })).toThrow(/kept in memory/);
  });
});
