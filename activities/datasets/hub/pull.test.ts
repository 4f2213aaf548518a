import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pullDataset } from './pull.ts';
import { type FakeHub, type FakeHubOptions, startFakeHub } from './server.fake.ts';

const ID = 'google/frames-benchmark';
const TEXT =
  'Prompt\tAnswer\n' + Array.from({ length: 400 }, (_, n) => `question ${n}\tanswer ${n}\n`).join('');
const FILES = { 'test.tsv': TEXT, 'README.md': '# Frames', '.gitattributes': '' };

let data: string;
let hub: FakeHub | undefined;
beforeEach(() => void (data = mkdtempSync(join(tmpdir(), 'wideseek-hub-'))));
afterEach(async () => {
  await hub?.close();
  rmSync(data, { recursive: true, force: true });
});

const start = async (options: Partial<FakeHubOptions> = {}) =>
  (hub = await startFakeHub({ id: ID, files: FILES, ...options }));
const pull = (
  change: {
    revision?: string;
    env?: Record<string, string>;
    tries?: number;
    name?: string;
    signal?: AbortSignal;
  } = {},
) => {
  const { name = 'frames', env = {}, ...rest } = change;
  const all = { WIDESEEK_DATA: data, HF_ENDPOINT: hub?.endpoint, ...env };
  return pullDataset(name, { signal: new AbortController().signal, backoffMs: () => 1, ...rest, env: all });
};
const target = () => join(data, 'frames', 'test.tsv');
const opens = () =>
  hub?.requests.filter(({ path }) => path.endsWith('test.tsv') && !path.startsWith('/datasets')) ?? [];

describe('pullDataset', () => {
  it.each([{}, { large: ['test.tsv'] }, { pageSize: 1 }])(
    'brings the wanted files only and pins the commit (%j)',
    async (options) => {
      await start(options);
      const seen: number[] = [];
      const pulled = await pullDataset('frames', {
        env: { WIDESEEK_DATA: data, HF_ENDPOINT: hub?.endpoint },
        signal: new AbortController().signal,
        onProgress: ({ bytes, files }) => seen.push(bytes, files),
      });
      expect(pulled).toMatchObject({ fetched: 1, present: 0, pin: { id: ID, revision: 'a'.repeat(40) } });
      expect(readFileSync(target(), 'utf8')).toBe(TEXT);
      expect(readdirSync(join(data, 'frames')).sort()).toEqual(['.hub.json', 'test.tsv']);
      expect(seen.at(-2)).toBe(TEXT.length);
      expect(await pull()).toMatchObject({ fetched: 0, present: 1 });
    },
  );

  it('goes on where the connection was cut, within a call and in the next one', async () => {
    await start({ large: ['test.tsv'], cutAfter: (_path, n) => (n < 2 ? 3_000 : undefined) });
    await expect(pull({ tries: 1 })).rejects.toMatchObject({ type: 'Overloaded' });
    expect(existsSync(target())).toBe(false);
    await pull();
    expect(readFileSync(target(), 'utf8')).toBe(TEXT);
    expect(opens().map(({ range }) => range)).toEqual([undefined, 'bytes=3000-', 'bytes=6000-']);
  });

  it('starts over where the server knows no ranges', async () => {
    await start({ ignoreRanges: true, cutAfter: (_path, n) => (n === 0 ? 2_000 : undefined) });
    await pull();
    expect(readFileSync(target(), 'utf8')).toBe(TEXT);
  });

  it('throws a wrong download away and says so; the next pull is clean', async () => {
    await start({ corrupt: (_path, n) => n === 0 });
    await expect(pull()).rejects.toMatchObject({
      type: 'BadReply',
      message: expect.stringContaining('checksum') as string,
    });
    expect(readdirSync(join(data, 'frames'))).toEqual([]);
    await pull();
    expect(readFileSync(target(), 'utf8')).toBe(TEXT);
  });

  it('mends a file that was changed here', async () => {
    await start();
    await pull();
    writeFileSync(target(), TEXT.replace('answer 7', 'answer 8'));
    expect(await pull()).toMatchObject({ fetched: 1 });
    expect(readFileSync(target(), 'utf8')).toBe(TEXT);
  });

  it('stays with the pinned commit until told otherwise', async () => {
    await start();
    await pull();
    await hub?.close();
    await start({ sha: 'b'.repeat(40) });
    await expect(pull()).rejects.toMatchObject({ type: 'NotFound' });
    expect((await pull({ revision: 'main' })).pin.revision).toBe('b'.repeat(40));
  });

  it('asks for a token where the set is gated, and never shows one', async () => {
    await start({ token: 'hf_secret' });
    const refused = {
      type: 'Unauthorized',
      message: expect.stringMatching(/conditions at .*frames.* set HF_TOKEN/) as string,
    };
    await expect(pull()).rejects.toMatchObject(refused);
    const wrong: unknown = await pull({ env: { HF_TOKEN: 'hf_wrong' } }).catch((error: unknown) => error);
    expect(String(wrong)).not.toContain('hf_wrong');
    expect(await pull({ env: { HF_TOKEN: 'hf_secret' } })).toMatchObject({ fetched: 1 });
  });

  it('names what does not exist', async () => {
    await start({ id: 'somebody/else' });
    await expect(pull()).rejects.toMatchObject({ type: 'NotFound' });
    await expect(pull({ name: 'nonsense' })).rejects.toThrow(
      /no data set that can be pulled. Known: widesearch/,
    );
    await hub?.close();
    await start({ files: { 'README.md': 'moved' } });
    await expect(pull()).rejects.toThrow('has none of the expected files');
  });

  it('works with a mirror that has files and lists only', async () => {
    await start({ mirror: true });
    expect(await pull()).toMatchObject({ fetched: 1, pin: { revision: 'main' } });
  });

  it('says who did not answer', async () => {
    await start();
    await hub?.close();
    await expect(pull({ tries: 1 })).rejects.toMatchObject({
      type: 'Overloaded',
      message: expect.stringContaining('127.0.0.1') as string,
    });
  });

  it('stops when interrupted and keeps what arrived', async () => {
    await start({ cutAfter: () => 1_000 });
    const controller = new AbortController();
    const pulling = pullDataset('frames', {
      env: { WIDESEEK_DATA: data, HF_ENDPOINT: hub?.endpoint },
      signal: controller.signal,
      onProgress: () => controller.abort(new Error('enough')),
    });
    await expect(pulling).rejects.toThrow('enough');
    expect(readdirSync(join(data, 'frames'))).toEqual([expect.stringMatching(/\.part$/)]);
  });
});
