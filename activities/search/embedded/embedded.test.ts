import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { NO_ENCODER } from '../encoder/presets.ts';
import type { Encoder } from '../port.ts';
import { describeProvider } from '../provider-contract.fake.ts';
import { createWordEncoder } from '../word-encoder.fake.ts';
import { openEmbeddedSearch } from './open.ts';
import { createEmbeddedIndex } from './target.ts';

const made: string[] = [];
const freshDir = async (): Promise<string> => {
  const dir = await mkdtemp(path.join(os.tmpdir(), 'wideseek-embedded-'));
  made.push(dir);
  return dir;
};
afterAll(() => Promise.all(made.map((dir) => rm(dir, { recursive: true, force: true }))));

describeProvider('embedded', async () => {
  const dir = await freshDir();
  return {
    createTarget: async () => createEmbeddedIndex(dir),
    open: (encoder) => openEmbeddedSearch({ dir, encoder }),
  };
});

const signal = new AbortController().signal;
const build = async (dir: string, generation: string, texts: readonly string[], encoder: Encoder) => {
  const target = createEmbeddedIndex(dir);
  await target.prepare(generation, encoder.dimensions);
  const rows = texts.map((text, id) => ({ id, url: `u${id}`, title: '', text, record: {} }));
  await target.write(rows, await encoder.embed(texts, 'passage'));
  await target.finish(signal);
  const { name, dimensions } = encoder;
  await target.publish({
    generation,
    encoder: name,
    dimensions,
    vectors: 'all',
    passages: texts.length,
    pages: 0,
  });
};

describe('embedded search', () => {
  it('works by words only without an encoder, and says so', async () => {
    const dir = await freshDir();
    await build(dir, 'a1', ['Rivers of Botswana', '内蒙古自治区的首府'], NO_ENCODER);
    const search = await openEmbeddedSearch({ dir, encoder: createWordEncoder() });
    expect(await search.describe()).toMatchObject({ encoder: 'none', mode: 'words' });
    expect((await search.search('a river', 5, signal)).map(({ url }) => url)).toEqual(['u0']);
    expect((await search.search('内蒙古', 5, signal)).map(({ url }) => url)).toEqual(['u1']);
    expect(await search.search('"(*:^ AND', 5, signal)).toEqual([]);
  });

  it('finds by meaning what shares no rare word, and by words what the vector misses', async () => {
    const dir = await freshDir();
    const encoder = createWordEncoder();
    const blind = {
      ...encoder,
      embed: async (texts: readonly string[]) =>
        encoder.embed(
          texts.map(() => 'same'),
          'query',
        ),
    };
    await build(dir, 'a1', ['alpha beta', 'gamma delta', 'epsilon zeta'], blind);
    const search = await openEmbeddedSearch({ dir, encoder: blind });
    const hits = await search.search('gamma', 3, signal);
    expect(hits[0]?.url).toBe('u1');
    expect(hits).toHaveLength(3);
  });

  it('refuses an index of another encoder', async () => {
    const dir = await freshDir();
    await build(dir, 'a1', ['one'], createWordEncoder('first'));
    const opened = openEmbeddedSearch({ dir, encoder: createWordEncoder('second') });
    await expect(opened).rejects.toThrow(/built with the encoder first, not second/);
  });

  it('picks up a new index while open, and keeps only the one before', async () => {
    const dir = await freshDir();
    const encoder = createWordEncoder();
    await build(dir, 'a1', ['old text'], encoder);
    const search = await openEmbeddedSearch({ dir, encoder });
    await build(dir, 'b2', ['new text'], encoder);
    await build(dir, 'c3', ['newest text'], encoder);
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect((await search.search('text', 1, signal))[0]?.text).toBe('newest text');
    expect((await readdir(dir)).sort()).toEqual(['current.json', 'g-b2', 'g-c3']);
  });

  it('names a pointer that it cannot read', async () => {
    const dir = await freshDir();
    await writeFile(path.join(dir, 'current.json'), '{"format": 99}');
    await expect(openEmbeddedSearch({ dir, encoder: NO_ENCODER })).rejects.toMatchObject({
      type: 'ConfigError',
    });
  });
});
