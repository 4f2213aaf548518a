import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { connect } from './connect.ts';
import { homePaths } from './home.ts';
import { isAlive, waitForExit, type ProcessId } from './processes.ts';
import { ensureStack, runningStack, stopStack, type StackOptions } from './stack.ts';
import { readState, writeState } from './state.ts';
import { fakeWorker, sandbox } from './testing/sandbox.ts';
import { tsxCommand } from './worker-process.ts';

// Each start takes seconds, more on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

let box: Awaited<ReturnType<typeof sandbox>>;
beforeEach(async () => void (box = await sandbox()));
afterEach(() => box.remove());

const ensure = (options: StackOptions = {}) =>
  ensureStack({ home: box.home, env: box.env, worker: fakeWorker, ...options });

const processes = (): ProcessId[] => {
  const state = readState(homePaths(box.home).state);
  return state ? [state.supervisor, ...state.children.map((child) => child.process)] : [];
};
const child = (name: string) => {
  const found = runningStack(box.home)?.children.find((each) => each.name === name);
  if (!found) throw new Error(`no ${name} runs`);
  return found;
};
const eventually = async (condition: () => boolean, what: string): Promise<void> => {
  for (let n = 0; n < 1_000; n++, await sleep(50)) if (condition()) return;
  throw new Error(`never happened: ${what}`);
};
const answers = async (address: string): Promise<void> => (await connect(address)).close();

test('the first client starts server and worker, a second joins, the last one to leave takes them down', async () => {
  const first = await ensure();
  await answers(first.address);
  const second = await ensure();
  expect([first.startedByUs, second.startedByUs]).toEqual([true, false]);
  expect(second.address).toBe(first.address);
  const all = processes();
  expect(all).toHaveLength(3);
  await first.release();
  expect(all.every(isAlive)).toBe(true);
  await second.release();
  expect(all.filter(isAlive)).toEqual([]);
  expect(existsSync(homePaths(box.home).state)).toBe(false);
});

test('who joins with other model settings is told that the running worker does not have them', async () => {
  const first = await ensure();
  const lines: string[] = [];
  const env = { ...box.env, WIDESEEK_MODEL_URL: 'http://127.0.0.1:1/v1' };
  const second = await ensure({ env, onStatus: (line) => lines.push(line) });
  expect(lines.join()).toContain('other values of WIDESEEK_MODEL_URL; `wideseek down` first');
  await Promise.all([first.release(), second.release()]);
});

test('kept, it outlives its clients until it is stopped, and stopping twice says so', async () => {
  const handle = await ensure({ keep: true });
  await handle.release();
  await sleep(800);
  const all = processes();
  expect(all.filter(isAlive)).toHaveLength(3);
  expect(await stopStack(box.home)).toBe(true);
  expect(all.filter(isAlive)).toEqual([]);
  expect(await stopStack(box.home)).toBe(false);
});

test('two processes that start at once share one stack, and a killed client counts no more', async () => {
  const script = `
    const { ensureStack } = await import(${JSON.stringify(tsxCommand('infra/local/stack.ts').args[2])});
    const { address, startedByUs } = await ensureStack({ worker: ${JSON.stringify(fakeWorker)} });
    console.log(JSON.stringify({ address, startedByUs }));
    setInterval(() => {}, 1000);`;
  const launch = () => {
    const { command, args } = tsxCommand('');
    const client = spawn(command, [...args.slice(0, 2), '--input-type=module', '-e', script], {
      env: box.env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const said = new Promise<{ address: string; startedByUs: boolean }>((resolve) =>
      client.stdout.once('data', (line: Buffer) => resolve(JSON.parse(line.toString()) as never)),
    );
    return { client, said };
  };
  const clients = [launch(), launch()];
  const said = await Promise.all(clients.map((each) => each.said));
  expect(said[0]?.address).toBe(said[1]?.address);
  expect(said.filter((each) => each.startedByUs)).toHaveLength(1);
  const all = processes();
  expect(all.filter(isAlive)).toHaveLength(3);
  for (const { client } of clients) client.kill('SIGKILL');
  await eventually(() => !all.some(isAlive), 'the stack goes down with its killed clients');
});

test.each(['worker-1', 'server'])('a killed %s is started again at the same address', async (name) => {
  const handle = await ensure();
  const before = child(name);
  process.kill(before.process.pid, 'SIGKILL');
  await eventually(
    () => runningStack(box.home)?.children.some((each) => each.name === name && each.restarts === 1) ?? false,
    `${name} is back`,
  );
  await eventually(() => runningStack(box.home)?.children.length === 2, 'both run');
  for (let n = 0; ; n++) {
    try {
      await answers(handle.address);
      break;
    } catch (error) {
      if (n > 20) throw error;
    }
  }
  await handle.release();
});

// Other tests' servers take the usual port where they find it free for a moment: then it is tried again.
test(
  'a killed supervisor: the next call stops what it left and starts on the same ports and database',
  { retry: 2 },
  async () => {
    const first = await ensure();
    const left = processes();
    process.kill(left[0]?.pid ?? 0, 'SIGKILL');
    await eventually(() => !isAlive(left[0] as ProcessId), 'the supervisor is dead');
    expect(left.filter(isAlive)).toHaveLength(2);
    const second = await ensure();
    expect(second.startedByUs).toBe(true);
    expect(second.address).toBe(first.address);
    expect(left.filter(isAlive)).toEqual([]);
    await second.release();
    await first.release();
    expect(runningStack(box.home)).toBeNull();
  },
);

test('a killed supervisor and no next call: the last client to leave cleans up', async () => {
  const handle = await ensure();
  const left = processes();
  process.kill(left[0]?.pid ?? 0, 'SIGKILL');
  await waitForExit(left[0] as ProcessId, 5_000);
  await handle.release();
  expect(left.filter(isAlive)).toEqual([]);
});

test('stale state that names a stranger: the stranger is left alone', async () => {
  const own = { pid: process.pid, startedAt: 'another time' };
  writeState(homePaths(box.home).state, {
    ...{ version: 1, supervisor: own, phase: 'ready', address: '127.0.0.1:1', uiUrl: null },
    ...{
      ports: null,
      reason: null,
      env: {},
      children: [{ name: 'server', process: own, restarts: 0, log: '' }],
    },
  });
  const handle = await ensure();
  expect(handle.startedByUs).toBe(true);
  await handle.release();
});

test('a state file that cannot be read is no obstacle', async () => {
  writeFileSync(homePaths(box.home).state, '{"version": 1, "supervisor"');
  const handle = await ensure();
  await handle.release();
  expect(existsSync(homePaths(box.home).state)).toBe(false);
});

test('a worker that dies again and again is given up with its last words, and the server goes too', async () => {
  const broken = ensure({ env: { ...box.env, FAKE_WORKER: '1' } });
  await expect(broken).rejects.toThrow(
    /the local stack does not run: worker-1 ended with status 1: fake worker: model\.baseUrl is missing/,
  );
  expect(processes().filter(isAlive)).toEqual([]);
  const healed = await ensure();
  await healed.release();
});

test('a worker that says its configuration is wrong is not started again', async () => {
  const broken = ensure({ env: { ...box.env, FAKE_WORKER: '78' } });
  await expect(broken).rejects.toThrow(/does not run: fake worker: model\.baseUrl is missing\. Its log/);
});

test('with TEMPORAL_ADDRESS only a worker is started, and a wrong address is said at once', async () => {
  const theirs = await ensure();
  const other = await sandbox();
  try {
    const env = { ...other.env, TEMPORAL_ADDRESS: theirs.address };
    const handle = await ensure({ home: other.home, env });
    expect(handle).toMatchObject({ address: theirs.address, uiUrl: null });
    expect(runningStack(other.home)?.children.map((each) => each.name)).toEqual(['worker-1']);
    const elsewhere = { ...env, TEMPORAL_ADDRESS: '127.0.0.1:1' };
    await expect(ensure({ home: other.home, env: elsewhere })).rejects.toThrow(
      /but the stack that runs uses/,
    );
    await handle.release();
    await expect(ensure({ home: other.home, env: elsewhere })).rejects.toThrow(
      /no Temporal server answers at 127\.0\.0\.1:1/,
    );
  } finally {
    await other.remove();
    await theirs.release();
  }
});

test('ports that were asked for and are taken are an error before anything starts', async () => {
  const theirs = await ensure();
  const port = Number(theirs.address.split(':')[1]);
  const other = await sandbox();
  try {
    await expect(ensure({ home: other.home, env: other.env, port })).rejects.toThrow(
      /^port: port \d+ .*in use/,
    );
    expect(readState(homePaths(other.home).state)).toBeNull();
  } finally {
    await other.remove();
    await theirs.release();
  }
});
