import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openStore } from '../../activities/store/open.ts';
import { publishPolicy } from '../../activities/trainer/policy.ts';
import { loadRunConfig, type Overrides } from '../../configs/load.ts';
import { testIo } from '../testing/test-io.ts';
import { both, readyIndex, readyModels } from './ready.ts';
import type { Session } from './session.ts';

let home: string;
beforeEach(() => void (home = mkdtempSync(join(tmpdir(), 'wideseek-ready-'))));
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** A machine on which the engine cannot start: whoever prepares it fails. */
const noEngine = (env: NodeJS.ProcessEnv = {}) =>
  testIo({
    env: { WIDESEEK_HOME: home, WIDESEEK_ENGINE_PYTHON: join(home, 'no-python'), ...env },
    cwd: home,
  });
/** Nobody asks a session for anything where nothing is to be made ready. */
const session = {} as Session;
const run = (config: string, set: Overrides = {}) => loadRunConfig(config, set);

test.each<[string, string, Overrides, NodeJS.ProcessEnv]>([
  ['a model of another kind', 'ask', {}, {}],
  ['an address in the configuration', 'mini', { 'models.default.tokens.url': 'http://e:1' }, {}],
  ['an engine of one’s own', 'mini', {}, { WIDESEEK_ENGINE_URL: 'http://e:1' }],
  ['another engine', 'mini', { 'models.default.tokens.engine': 'sglang' }, {}],
])('%s needs no local engine', async (_, config, set, env) => {
  const { io, written } = noEngine(env);
  await (
    await readyModels(io, await run(config, set))
  )(session);
  expect(written).toEqual({ stdout: '', stderr: '' });
});

const withoutPython = {
  type: 'ConfigError',
  message: expect.stringContaining('WIDESEEK_ENGINE_PYTHON') as string,
};

test('a model that samples from the local engine needs it, before a server is started', async () => {
  await expect(readyModels(noEngine().io, await run('mini'))).rejects.toMatchObject(withoutPython);
});

test('the weights of a training need the engine where they are', async () => {
  const store = await openStore(':memory:');
  const ready = await readyModels(
    noEngine().io,
    await run('mini', { 'models.default.tokens.policy': 'train-x' }),
  );
  const at = (url: string) => publishPolicy(store.documents, 'train-x', { version: 1, path: 'p', url });
  await at('http://gpu.example:8777');
  await ready({ store } as Session);
  await at('http://127.0.0.1:8777');
  await expect(ready({ store } as Session)).rejects.toMatchObject(withoutPython);
  await store.close();
});

test('an index that may take long is named with what builds it; another one is no error', async () => {
  const { io } = noEngine();
  const file = join(home, 'mine.yaml');
  writeFileSync(file, 'name: mine\nsources: [{ kind: pages, path: pages.jsonl }]\n');
  await expect(readyIndex(io, await run('ask', { 'search.corpus': file }))).rejects.toMatchObject({
    type: 'NotFound',
    message: expect.stringContaining(`wideseek index ${file}`) as string,
  });
  expect(await readyIndex(io, await run('ask', { 'search.corpus': 'wiki2018-e5' }))).toBeTypeOf('function');
});

test('all parts are made ready, one after the other', async () => {
  const order: number[] = [];
  const part = (at: number) => async (): Promise<void> => {
    await Promise.resolve();
    order.push(at);
  };
  await both(part(1), part(2), part(3))(session);
  expect(order).toEqual([1, 2, 3]);
});
