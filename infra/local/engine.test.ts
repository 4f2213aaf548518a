import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ensureEngine, recallEngine } from './engine.ts';
import {
  type EngineSpec,
  enginePaths,
  isEngineWanted,
  readEngineState,
  runningEngine,
} from './engine-state.ts';
import { isAlive } from './processes.ts';
import { ensureStack, runningStack, stopStack } from './stack.ts';
import { fakeWorker, sandbox } from './testing/sandbox.ts';

// Each start takes seconds, more on a busy machine.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

let box: Awaited<ReturnType<typeof sandbox>>;
beforeEach(async () => {
  box = await sandbox();
  delete box.env.WIDESEEK_ENGINE_URL;
});
afterEach(() => box.remove());

const specOf = (): EngineSpec => ({
  python: process.execPath,
  program: [fileURLToPath(new URL('./testing/fake-engine.mjs', import.meta.url))],
  models: join(box.home, 'models'),
  checkpoints: enginePaths(box.home).checkpoints,
  cache: enginePaths(box.home).cache,
  deterministic: true,
});
const engine = () => ensureEngine({ home: box.home, env: box.env }, specOf());
const stack = (env = box.env) => ensureStack({ home: box.home, env, worker: fakeWorker });
const eventually = async (condition: () => boolean, what: string): Promise<void> => {
  for (let n = 0; n < 600; n++, await sleep(50)) if (condition()) return;
  throw new Error(`never happened: ${what}`);
};

test('the engine runs under the stack, comes back at its address when killed, and goes down with the stack', async () => {
  await expect(engine()).rejects.toThrow('none is up');
  const handle = await stack();
  expect(readEngineState(box.home)).toBeNull();
  const url = await engine();
  expect(await engine()).toBe(url);
  expect(await (await fetch(`${url}/api/v1/healthz`)).json()).toEqual(
    expect.arrayContaining(['serve', '--deterministic', join(box.home, 'models')]),
  );
  const first = runningEngine(box.home)?.process ?? null;
  expect(first && isAlive(first)).toBe(true);
  process.kill(first?.pid ?? 0, 'SIGKILL');
  await eventually(() => {
    const now = runningEngine(box.home);
    return now !== null && now.process?.pid !== first?.pid && now.restarts === 1;
  }, 'it is started again');
  expect(runningEngine(box.home)?.url).toBe(url);
  const second = runningEngine(box.home)?.process ?? null;
  await handle.release();
  expect(second && isAlive(second)).toBe(false);
  expect([readEngineState(box.home), isEngineWanted(box.home)]).toEqual([null, false]);
});

test('one that cannot be kept alive is said with its last words, and the stack goes on', async () => {
  const handle = await stack({ ...box.env, FAKE_ENGINE: '78' });
  await expect(engine()).rejects.toThrow(/does not run: .*fake engine: cannot work/);
  expect(runningStack(box.home)?.phase).toBe('ready');
  expect(isEngineWanted(box.home)).toBe(false);
  await handle.release();
});

test('a worker that needs the engine of an earlier training asks for it again', async () => {
  const first = await stack();
  await engine();
  await first.release();
  expect(existsSync(enginePaths(box.home).state)).toBe(false);
  const second = await stack();
  expect(recallEngine(box.home)).toBeNull();
  await eventually(() => runningEngine(box.home) !== null, 'it runs again');
  expect(recallEngine(box.home)).toBe(runningEngine(box.home)?.url);
  await second.release();
  await stopStack(box.home);
});

test('an engine that the environment names is left alone', async () => {
  const env = { ...box.env, WIDESEEK_ENGINE_URL: 'http://127.0.0.1:1' };
  expect(await ensureEngine({ home: box.home, env })).toBe('http://127.0.0.1:1');
  expect(readEngineState(box.home)).toBeNull();
});
