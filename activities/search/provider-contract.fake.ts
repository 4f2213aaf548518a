import { describe, expect, it } from 'vitest';
import type { IndexTarget } from './index-port.ts';
import type { Encoder, SearchProvider } from './port.ts';
import { createWordEncoder } from './word-encoder.fake.ts';

const RECORDS = [
  ['Gaborone', 'Gaborone is the capital of Botswana, a landlocked country in southern Africa.'],
  ['Oslo', 'Oslo is the capital of Norway and lies at the head of a fjord.'],
  ['Helium', 'Helium is a noble gas with the atomic number two.'],
  ['呼和浩特', '呼和浩特市是内蒙古自治区的首府。'],
] as const;

const urlOf = (title: string): string =>
  `https://en.wikipedia.org/w/index.php?title=${encodeURIComponent(title)}`;
const passages = RECORDS.map(([title, text], id) => ({
  id,
  url: urlOf(title),
  title,
  text,
  record: { url: urlOf(title), title, contents: text, extra: id },
}));
const pages = RECORDS.map(([title, text]) => ({ url: urlOf(title), title, text: `# ${title}\n\n${text}` }));
const signal = new AbortController().signal;

export interface Backend {
  createTarget(): Promise<IndexTarget>;
  open(encoder: Encoder): Promise<SearchProvider>;
}

const writeAll = async (
  target: IndexTarget,
  generation: string,
  encoder: Encoder,
  count: number = RECORDS.length,
) => {
  await target.prepare(generation, encoder.dimensions);
  const checkpoint = { generation, source: 1, records: 0, nextId: count, passages: count, pages: count };
  await target.rewind({ ...checkpoint, nextId: 0, passages: 0, pages: 0 });
  const chosen = passages.slice(0, count);
  await target.writePages(pages.slice(0, count), 0);
  await target.write(
    chosen,
    await encoder.embed(
      chosen.map(({ title, text }) => `${title} ${text}`),
      'passage',
    ),
  );
  await target.save(checkpoint);
  await target.finish(signal);
  const { dimensions, name } = encoder;
  await target.publish({
    generation,
    encoder: name,
    dimensions,
    vectors: 'all',
    passages: count,
    pages: count,
  });
  return checkpoint;
};

/** What every index store with its provider must do. Each test gets an empty store from `fresh`. */
export const describeProvider = (name: string, fresh: () => Promise<Backend>): void => {
  describe(`${name}: the contract of an index and its search`, () => {
    it('finds the right passage first, with url, title and text', async () => {
      const backend = await fresh();
      const encoder = createWordEncoder();
      await writeAll(await backend.createTarget(), 'a1', encoder);
      const search = await backend.open(encoder);
      const hits = await search.search('capital of Norway fjord', 3, signal);
      expect(hits[0]).toMatchObject({ url: urlOf('Oslo'), title: 'Oslo', text: RECORDS[1][1] });
      expect(hits.length).toBeLessThanOrEqual(3);
      const scores = hits.map(({ score }) => score ?? 0);
      expect(scores).toEqual([...scores].sort((a, b) => b - a));
      expect((await search.search('内蒙古自治区的首府', 1, signal))[0]?.title).toBe('呼和浩特');
      expect(await search.search('   ', 3, signal)).toEqual([]);
    });

    it('gives whole pages under any form of their URL, and says what it does not have', async () => {
      const backend = await fresh();
      const encoder = createWordEncoder();
      await writeAll(await backend.createTarget(), 'a1', encoder);
      const search = await backend.open(encoder);
      for (const url of [urlOf('Oslo'), 'https://en.wikipedia.org/w/index.php/Oslo'])
        expect(await search.access(url, signal)).toEqual(pages[1]);
      const unknown = "https://example.org/it's";
      expect(await search.access(unknown, signal)).toEqual({ url: unknown, unreadable: 'not_found' });
    });

    it('is not in use before it is published, and then replaces what was', async () => {
      const backend = await fresh();
      const encoder = createWordEncoder();
      await expect(backend.open(encoder)).rejects.toMatchObject({ type: 'NotFound' });
      await writeAll(await backend.createTarget(), 'a1', encoder, 2);
      await writeAll(await backend.createTarget(), 'b2', encoder);
      expect(await (await backend.createTarget()).current()).toMatchObject({ generation: 'b2' });
      const search = await backend.open(encoder);
      expect((await search.search('noble gas helium', 1, signal))[0]?.title).toBe('Helium');
    });

    it('goes back to a checkpoint, or says that it cannot', async () => {
      const backend = await fresh();
      const encoder = createWordEncoder();
      const target = await backend.createTarget();
      const all = await writeAll(target, 'a1', encoder);
      expect(await target.saved()).toEqual(all);
      expect(await target.rewind({ ...all, nextId: 9, passages: 9, pages: 9 })).toBe(false);
      expect(await target.rewind({ ...all, nextId: 2, passages: 2, pages: 2 })).toBe(true);
      await target.writePages(pages.slice(2), 2);
      await target.write(passages.slice(2), await encoder.embed(['a', 'b'], 'passage'));
      expect(await target.count()).toEqual({ passages: 4, pages: 4 });
    });

    it('refuses an encoder of another size and an aborted signal', async () => {
      const backend = await fresh();
      const encoder = createWordEncoder();
      await writeAll(await backend.createTarget(), 'a1', encoder);
      await expect(backend.open({ ...encoder, name: 'other', dimensions: 3 })).rejects.toMatchObject({
        type: 'ConfigError',
      });
      const search = await backend.open(encoder);
      await expect(search.search('oslo', 1, AbortSignal.abort())).rejects.toThrow();
    });
  });
};
