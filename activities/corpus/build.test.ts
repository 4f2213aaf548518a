import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseCorpus } from '../../configs/corpus-schema.ts';
import { openEmbeddedSearch } from '../search/embedded/open.ts';
import { createEmbeddedIndex } from '../search/embedded/target.ts';
import { createWordEncoder } from '../search/word-encoder.fake.ts';
import { buildIndex } from './build.ts';
import type { BuildOptions, BuildProgress } from './build.ts';

const signal = new AbortController().signal;
let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), 'wideseek-build-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const page = (n: number): string =>
  `${JSON.stringify({ url: `https://a.org/p${n}`, title: `Page ${n}`, contents: `First line of number${n}.\nSecond line.` })}\n`;
const writePages = (count: number) =>
  writeFile(path.join(dir, 'pages.jsonl'), Array.from({ length: count }, (_, n) => page(n)).join(''));
const config = parseCorpus({ name: 'test', sources: [{ kind: 'pages', path: 'pages.jsonl' }], batch: 4 });

const build = (change: Partial<BuildOptions> = {}, corpus = config) =>
  buildIndex(corpus, {
    encoder: createWordEncoder(),
    target: createEmbeddedIndex(path.join(dir, 'index')),
    dataDir: dir,
    ...change,
  });
const open = () => openEmbeddedSearch({ dir: path.join(dir, 'index'), encoder: createWordEncoder() });

describe('buildIndex', () => {
  it('indexes pages, reports progress and is found', async () => {
    await writePages(10);
    const seen: BuildProgress[] = [];
    const result = await build({ onProgress: (progress) => seen.push(progress) });
    expect(result).toMatchObject({ passages: 10, pages: 10, reused: false, resumedAt: 0 });
    expect(seen.map(({ phase }) => phase)).toEqual(['read', 'write', 'write', 'write', 'index', 'done']);
    expect(seen.at(-1)).toMatchObject({ recordsDone: 10, records: 10 });
    const search = await open();
    expect((await search.search('number7', 1, signal))[0]).toMatchObject({
      url: 'https://a.org/p7',
      title: 'Page 7',
    });
    expect(await search.access('https://a.org/p7/', signal)).toMatchObject({ title: 'Page 7' });
  });

  it('does nothing for the same corpus, also from another place', async () => {
    await writePages(3);
    await build();
    const encoder = createWordEncoder();
    const again = await build({ encoder });
    expect(again).toMatchObject({ passages: 3, pages: 3, reused: true });
    expect(encoder.embedded).toEqual([]);
  });

  it('goes on after the last batch when it was killed, and never twice over', async () => {
    await writePages(10);
    const killed = build({
      onProgress: ({ passages }) => {
        if (passages === 8) throw new Error('killed');
      },
    });
    await expect(killed).rejects.toThrow('killed');
    await expect(open()).rejects.toMatchObject({ type: 'NotFound' });
    const encoder = createWordEncoder();
    expect(await build({ encoder })).toMatchObject({ passages: 10, pages: 10, resumedAt: 8 });
    expect(encoder.embedded).toHaveLength(2);
  });

  it('drops a batch that was written but not checkpointed', async () => {
    await writePages(10);
    const target = createEmbeddedIndex(path.join(dir, 'index'));
    let saves = 0;
    const broken = {
      ...target,
      save: async (checkpoint: Parameters<typeof target.save>[0]) => {
        saves += 1;
        if (saves === 2) throw new Error('power cut');
        await target.save(checkpoint);
      },
    };
    await expect(build({ target: broken })).rejects.toThrow('power cut');
    expect(await build()).toMatchObject({ passages: 10, pages: 10, resumedAt: 4 });
  });

  it('starts over where the store cannot stand by the checkpoint', async () => {
    await writePages(5);
    const other = await build({ target: createEmbeddedIndex(path.join(dir, 'elsewhere')) });
    const resumeFrom = {
      generation: other.generation,
      source: 0,
      records: 4,
      nextId: 4,
      passages: 4,
      pages: 4,
    };
    expect(await build({ resumeFrom })).toMatchObject({ passages: 5, resumedAt: 0 });
  });

  it('keeps the old index in use until a changed corpus is complete', async () => {
    await writePages(3);
    const before = await build();
    await appendFile(path.join(dir, 'pages.jsonl'), '{"url": "https://a.org/x", "contents": 7}\n');
    await expect(build()).rejects.toThrow(/pages\.jsonl:4: contents/);
    expect((await (await open()).describe()).generation).toBe(before.generation);
    await writePages(4);
    const after = await build();
    expect(after.generation).not.toBe(before.generation);
    expect(await (await open()).describe()).toMatchObject({ generation: after.generation, passages: 4 });
  });

  it('ends with the reason of a cancellation and can go on', async () => {
    await writePages(10);
    const controller = new AbortController();
    const cancelled = build({
      signal: controller.signal,
      onProgress: ({ passages }) => passages === 4 && controller.abort(new Error('cancelled')),
    });
    await expect(cancelled).rejects.toThrow('cancelled');
    expect(await build()).toMatchObject({ passages: 10, resumedAt: 4 });
  });

  it('takes passages with gaps where they are empty, and pages of another file without cutting them', async () => {
    await writePages(2);
    const lines = ['one', ' ', 'three'].map((contents) =>
      JSON.stringify({ contents, url: 'https://a.org/w?title=The_One' }),
    );
    await writeFile(path.join(dir, 'passages.jsonl'), lines.join('\n'));
    const corpus = parseCorpus({
      name: 'test',
      sources: [
        { kind: 'passages', path: 'passages.jsonl' },
        { kind: 'pages', path: 'pages.jsonl', searchable: false },
      ],
    });
    const seen: BuildProgress[] = [];
    const result = await build({ onProgress: (progress) => seen.push(progress) }, corpus);
    expect(result).toMatchObject({ passages: 2, pages: 2 });
    expect(seen.at(-1)?.checkpoint?.nextId).toBe(3);
    expect((await (await open()).search('three', 1, signal))[0]?.title).toBe('The One');
  });

  it('gives text in other scripts no vector where the encoder does not know them', async () => {
    const lines = ['Helium is a gas', '铁的原子序数'].map((contents) =>
      JSON.stringify({ url: contents, contents }),
    );
    await writeFile(path.join(dir, 'pages.jsonl'), lines.join('\n'));
    const encoder = createWordEncoder();
    await build({ encoder }, { ...config, vectors: 'latin' });
    expect(encoder.embedded).toHaveLength(1);
    const search = await open();
    expect((await search.search('原子序数', 3, signal)).map(({ url }) => url)).toEqual(['铁的原子序数']);
    expect((await search.search('helium', 3, signal)).map(({ url }) => url)).toEqual(['Helium is a gas']);
  });

  it('counts what is stored and does not switch over when something is missing', async () => {
    await writePages(3);
    const target = createEmbeddedIndex(path.join(dir, 'index'));
    const lossy = { ...target, count: async () => ({ passages: 2, pages: 3 }) };
    await expect(build({ target: lossy })).rejects.toThrow(/has 2 passages, but 3 were written/);
    await expect(open()).rejects.toMatchObject({ type: 'NotFound' });
  });

  it('names a missing file', async () => {
    await expect(build()).rejects.toThrow(/no corpus file .*pages\.jsonl/);
  });
});
