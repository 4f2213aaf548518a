import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { loadRunConfig } from '../../configs/load.ts';
import type { SeekResult } from '../../domain/run.ts';
import { freePort } from '../../infra/local/ports.ts';
import { ensureStack, runningStack, stopStack } from '../../infra/local/stack.ts';
import { sandbox } from '../../infra/local/testing/sandbox.ts';
import { tsxCommand } from '../../infra/local/worker-process.ts';
import { run } from '../main.ts';
import { openSession } from '../run/session.ts';
import { testIo } from '../testing/test-io.ts';

// A start bundles workflows, which takes half a minute on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

let box: Awaited<ReturnType<typeof sandbox>>;
let cwd: string;
const worker = tsxCommand('cli/testing/fake-worker.ts');
/** Ports of its own: other tests' servers take the usual ones while a killed one is away. */
const up = async () => {
  const ports = { port: await freePort(), uiPort: await freePort() };
  await (await ensureStack({ ...ports, home: box.home, env: box.env, worker, keep: true })).release();
};

beforeAll(async () => {
  box = await sandbox();
  cwd = join(box.home, 'desk');
  mkdirSync(cwd);
  await up();
});
afterAll(() => box.remove());

const launch = (...args: string[]) => {
  const { io, written, interrupt } = testIo({ env: box.env, cwd });
  return { written, interrupt, io, status: run(args, io) };
};
const call = async (...args: string[]) => {
  const { status, written } = launch(...args);
  return { status: await status, ...written };
};
const eventually = async (condition: () => boolean): Promise<void> => {
  for (let n = 0; n < 1_000 && !condition(); n++) await sleep(50);
  expect(condition()).toBe(true);
};
/** Makes a run one whose plan has the local engine's weights answer, or a run without a plan again. */
const samplesFromLocalEngine = async (id: string, yes = true): Promise<void> => {
  const session = await openSession(testIo({ env: box.env, cwd }).io);
  const { store } = session;
  const plan = { question: 'x', today: null, answer: 'auto', config: await loadRunConfig('mini') };
  const record = (await store.runs.get(id))!;
  await store.runs.save({
    ...record,
    planRef: yes ? await store.put(JSON.stringify(plan)) : undefined,
  });
  await session.close();
};
const idIn = (stderr: string): string => /^Run (\S+)/m.exec(stderr)?.[1] ?? 'none';

test('ask --json prints the result and nothing else, says where things are, and writes the files', async () => {
  const { status, stdout, stderr } = await call('ask', 'Capitals of Chad?', '--json');
  expect(status).toBe(0);
  const result = JSON.parse(stdout) as SeekResult;
  expect(result).toMatchObject({ status: 'ok', question: 'Capitals of Chad?' });
  expect(stderr).toContain(`/workflows/seek%2F${result.runId}`);
  const folder = join(cwd, 'wideseek-runs', result.runId);
  expect(readFileSync(join(folder, 'answer.csv'), 'utf8')).toContain("Chad,N'Djamena");
  expect(readFileSync(join(folder, 'answer.md'), 'utf8')).toContain('| Chad ⚠ |');
  expect(JSON.parse(readFileSync(join(folder, 'result.json'), 'utf8'))).toEqual(result);
  expect(stderr).toContain(`wideseek-runs/${result.runId}`);
});

test('ask without a question asks the sample question; show and export find it by a part of its id', async () => {
  const { status, stdout, stderr } = await call('ask');
  expect(status).toBe(0);
  expect(stderr).toContain('the sample question: Which landlocked countries are in Africa?');
  expect(stdout).toContain('| Chad |');
  const part = idIn(stderr).slice(-4);
  expect((await call('show', part)).stdout).toContain('| Chad |');
  expect((await call('export', part, '--format', 'csv')).stdout).toContain("Chad,N'Djamena");
  await call('export', part, '--output', 'out/answer.xlsx');
  expect(readFileSync(join(cwd, 'out/answer.xlsx')).subarray(0, 2).toString()).toBe('PK');
  const { runs } = JSON.parse((await call('runs', '--json')).stdout) as {
    runs: { runId: string; state: string }[];
  };
  expect(runs.find(({ runId }) => runId === idIn(stderr))?.state).toBe('ok');
});

test('Ctrl-C cancels the run and keeps the partial table', async () => {
  const { status, written, interrupt } = launch('ask', 'please hang', '--json');
  await eventually(() => written.stderr.includes('waiting for subagents'));
  interrupt();
  expect(await status).toBe(130);
  expect(JSON.parse(written.stdout)).toMatchObject({ status: 'partial', stopReason: 'cancelled' });
});

test('Ctrl-C twice leaves the run to itself', async () => {
  const { status, written, interrupt } = launch('ask', 'hang again');
  await eventually(() => written.stderr.includes('waiting for subagents'));
  interrupt();
  interrupt();
  expect(await status).toBe(130);
  expect(written.stderr).toContain('Left to itself. Watch it: wideseek watch');
});

test('down while a run is watched: the command ends and says so, the run goes on after up', async () => {
  const { status, written } = launch('ask', 'hang across down');
  await eventually(() => written.stderr.includes('waiting for subagents'));
  await call('down');
  expect(await status).toBe(5);
  expect(written.stderr).toContain('the local stack was stopped; the run goes on when it is up again');
  await up();
  const cancelled = await call('cancel', idIn(written.stderr));
  expect(cancelled.stdout).toContain('| Chad |');
});

test('ask --detach returns at once; cancel waits for the partial answer', async () => {
  const started = await call('ask', 'hang detached', '--detach', '--json');
  const { runId } = JSON.parse(started.stdout) as { runId: string };
  const watching = launch('watch', runId);
  await eventually(() => watching.written.stderr.includes('waiting for subagents'));
  const cancelled = await call('cancel', runId);
  expect(cancelled.status).toBe(0);
  expect(cancelled.stdout).toContain('| Chad |');
  expect(await watching.status).toBe(3);
  expect((await call('cancel', runId)).stderr).toContain('has ended already: partial');
  expect((await call('resume', runId)).stderr).toContain('is finished: partial');
});

test('a failed run says why; resumed after the cause is gone it tries again and answers', async () => {
  const failed = await call('ask', 'a fragile question', '--json');
  expect(failed.status).toBe(4);
  expect(JSON.parse(failed.stdout)).toMatchObject({ status: 'failed', error: { type: 'model_outage' } });
  expect(failed.stderr).toContain('failed (model_outage): the model is away. You can resume it');
  const id = idIn(failed.stderr);
  expect((await call('resume', id)).status).toBe(4);
  await samplesFromLocalEngine(id);
  const { io, written } = testIo({
    env: { ...box.env, WIDESEEK_ENGINE_PYTHON: join(box.home, 'none') },
    cwd,
  });
  expect(await run(['resume', id], io)).not.toBe(0);
  expect(written.stderr).toContain('WIDESEEK_ENGINE_PYTHON');
  await samplesFromLocalEngine(id, false);
  writeFileSync(join(box.home, 'healed'), '');
  const resumed = await call('resume', id);
  expect(resumed).toMatchObject({ status: 0 });
  expect(resumed.stdout).toContain('| Chad |');
});

test('a terminated run is resumed where it was', async () => {
  const { written } = launch('ask', 'hang until terminated', '--detach');
  await eventually(() => written.stderr.includes('Watch it'));
  const id = idIn(written.stderr);
  const watching = launch('watch', id);
  await eventually(() => watching.written.stderr.includes('waiting for subagents'));
  const session = await openSession(watching.io);
  await session.client.workflow.getHandle(`seek/${id}`).terminate('test');
  await session.close();
  expect(await watching.status).toBe(4);
  expect(watching.written.stderr).toContain('failed (terminated)');
  const resumed = launch('resume', id);
  await eventually(() => resumed.written.stderr.includes('waiting for subagents'));
  resumed.interrupt();
  expect(await resumed.status).toBe(130);
  expect(resumed.written.stdout).toContain('| Chad |');
});

test('index builds and says what was built', async () => {
  expect(JSON.parse((await call('index', 'sample', '--json')).stdout)).toMatchObject({ passages: 3 });
  expect(existsSync(join(box.home, 'index', 'sample', 'current.json'))).toBe(true);
});

test.each([[['server']], [['worker-1']], [['server', 'worker-1']]])(
  '%j killed in the middle of ask: the command reconnects and ends with the answer',
  async (names) => {
    const watching = launch('ask', `hang while ${names.join(' and ')} dies`);
    await eventually(() => watching.written.stderr.includes('waiting for subagents'));
    const before = new Map(
      runningStack(box.home)?.children.map(({ name, process }) => [name, process.pid] as const),
    );
    for (const name of names) process.kill(before.get(name) ?? 0, 'SIGKILL');
    const isNew = (name: string): boolean =>
      runningStack(box.home)?.children.some(
        (child) => child.name === name && child.process.pid !== before.get(name),
      ) ?? false;
    await eventually(() => names.every(isNew));
    await sleep(3_000);
    watching.interrupt();
    expect(await watching.status).toBe(130);
    expect(watching.written.stdout).toContain('| Chad |');
  },
);

test('gc counts, then removes what has ended and leaves alone what runs', async () => {
  const { status, written, interrupt } = launch('ask', 'hang while old runs go');
  await eventually(() => written.stderr.includes('waiting for subagents'));
  const states = async () =>
    (
      JSON.parse((await call('runs', '--json')).stdout) as { runs: { runId: string; state: string }[] }
    ).runs.map(({ runId, state }) => [runId, state] as const);
  const before = await states();
  expect(before.some(([, state]) => state === 'ok')).toBe(true);
  const counted = await call('gc', '--older-than', '0h', '--dry-run', '--json');
  const { dryRun, runs } = JSON.parse(counted.stdout) as { dryRun: boolean; runs: number };
  expect(dryRun).toBe(true);
  expect(await states()).toEqual(before);
  const removed = await call('gc', '--older-than', '0h');
  expect(removed).toMatchObject({ status: 0 });
  expect(removed.stdout).toContain(`rows of ${runs} runs that ended more than 0h ago`);
  const after = await states();
  expect(after).toHaveLength(before.length - runs);
  expect(after.map(([runId]) => runId)).toContain(idIn(written.stderr));
  expect(after.some(([, state]) => state === 'ok')).toBe(false);
  expect((await call('gc', '--older-than', 'soon')).status).toBe(2);
  interrupt();
  expect(await status).toBe(130);
  expect(written.stdout).toContain('| Chad |');
});

test('doctor names what is wrong, what to do, and does not end with 0', async () => {
  const { status, stdout } = await call('doctor', '--json');
  expect(status).toBe(5);
  const { ok, checks } = JSON.parse(stdout) as {
    ok: boolean;
    checks: { name: string; state: string; hint?: string }[];
  };
  expect(ok).toBe(false);
  const stateOf = (name: string): string | undefined => checks.find((each) => each.name === name)?.state;
  expect(
    ['node', 'store', 'index', 'server and worker', 'search attributes', 'queue wideseek'].map(stateOf),
  ).toEqual(Array(6).fill('ok'));
  // The canned worker serves no queue but its own.
  expect(checks.find((each) => each.name === 'queue model')).toMatchObject({
    ...{ state: 'fail', hint: 'Start one: wideseek worker' },
  });
});

test('up joins what runs, down stops it', async () => {
  expect((await call('up')).stdout).toMatch(/^Running already: Temporal at 127/);
  expect((await call('down')).stdout).toBe('Stopped.\n');
  expect(await stopStack(box.home)).toBe(false);
});
