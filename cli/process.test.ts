import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { packageRoot } from '../infra/local/home.ts';
import { isAlive } from '../infra/local/processes.ts';
import { ensureStack, runningStack } from '../infra/local/stack.ts';
import { readState } from '../infra/local/state.ts';
import { sandbox } from '../infra/local/testing/sandbox.ts';
import { tsxCommand } from '../infra/local/worker-process.ts';

// Real processes, as a person starts them. Each takes seconds, more on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

let box: Awaited<ReturnType<typeof sandbox>>;
let cwd: string;
beforeAll(async () => {
  box = await sandbox();
  cwd = join(box.home, 'desk');
  mkdirSync(cwd);
});
afterAll(() => box.remove());

const launch = (bin: 'start' | 'wideseek', ...args: string[]) => {
  const child = spawn(process.execPath, [join(packageRoot, 'infra/bin', `${bin}.mjs`), ...args], {
    cwd,
    env: box.env,
  });
  const written = { stdout: '', stderr: '' };
  child.stdout.on('data', (data: Buffer) => (written.stdout += data.toString()));
  child.stderr.on('data', (data: Buffer) => (written.stderr += data.toString()));
  return { child, written, status: once(child, 'close').then(([code]) => code as number | null) };
};
const eventually = async (condition: () => boolean, what: string): Promise<void> => {
  for (let n = 0; n < 1_500; n++, await sleep(50)) if (condition()) return;
  throw new Error(`never happened: ${what}`);
};
const startFake = () =>
  ensureStack({ home: box.home, env: box.env, worker: tsxCommand('cli/testing/fake-worker.ts') });

test('two npm starts at once share one stack, and nothing is left when both are done', async () => {
  const first = await startFake();
  const state = readState(join(box.home, 'stack.json'));
  const both = [launch('start', 'first question?', '--json'), launch('start', 'second question?', '--json')];
  // The stack goes down as soon as nobody wants it: its starter leaves when both are in it.
  await eventually(() => both.every(({ written }) => /^Run \S+/m.test(written.stderr)), 'both have joined');
  await first.release();
  expect(await Promise.all(both.map(({ status }) => status))).toEqual([0, 0]);
  for (const { written } of both) expect(JSON.parse(written.stdout)).toMatchObject({ status: 'ok' });
  const all = [state?.supervisor, ...(state?.children ?? []).map((each) => each.process)];
  expect(all.filter((each) => each && isAlive(each))).toEqual([]);
  expect(runningStack(box.home)).toBeNull();
});

test('a real Ctrl-C: the partial table is printed and saved, the status is 130, the stack goes down', async () => {
  const first = await startFake();
  const { child, written, status } = launch('wideseek', 'ask', 'please hang', '--json');
  await eventually(() => written.stderr.includes('waiting for subagents'), 'the run is shown');
  await first.release();
  child.kill('SIGINT');
  expect(await status).toBe(130);
  const { runId, stopReason } = JSON.parse(written.stdout) as { runId: string; stopReason: string };
  expect(stopReason).toBe('cancelled');
  expect(readFileSync(join(cwd, 'wideseek-runs', runId, 'answer.csv'), 'utf8')).toContain('Chad');
  expect(runningStack(box.home)).toBeNull();
});

test('a reader that closes the pipe early is no error', async () => {
  const { child, status } = launch('wideseek', '--help');
  child.stdout.destroy();
  expect(await status).toBe(0);
});
