import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { homePaths } from '../../infra/local/home.ts';
import { ensureStack } from '../../infra/local/stack.ts';
import { sandbox } from '../../infra/local/testing/sandbox.ts';
import { tsxCommand } from '../../infra/local/worker-process.ts';
import { run } from '../main.ts';
import { testIo } from '../testing/test-io.ts';
import type { SweepPoint } from './sweep.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 240_000 });

let box: Awaited<ReturnType<typeof sandbox>>;
let cwd: string;

beforeAll(async () => {
  box = await sandbox();
  cwd = join(box.home, 'desk');
  mkdirSync(cwd);
  // The canned worker answers nothing, so the index only has to look built.
  const index = join(homePaths(box.home).index, 'sample');
  mkdirSync(index, { recursive: true });
  const manifest = { format: 1, generation: 'abc', encoder: 'none', dimensions: 0, passages: 3, pages: 2 };
  writeFileSync(join(index, 'current.json'), JSON.stringify(manifest));
  const worker = tsxCommand('cli/eval/testing/fake-worker.ts');
  await (await ensureStack({ home: box.home, env: box.env, worker, keep: true })).release();
});
afterAll(() => box.remove());

const launch = (...args: string[]) => {
  const { io, written, interrupt } = testIo({ env: box.env, cwd });
  return { written, interrupt, status: run(args, io) };
};
const call = async (...args: string[]) => {
  const { status, written } = launch(...args);
  return { status: await status, ...written };
};
const eventually = async (condition: () => boolean): Promise<void> => {
  for (let n = 0; n < 600 && !condition(); n += 1) await sleep(100);
  expect(condition()).toBe(true);
};
const idIn = (stderr: string): string => /^Evaluation (\S+)/m.exec(stderr)?.[1] ?? 'none';

test('eval shows the numbers, writes the files, and prints one JSON object', async () => {
  const { status, stdout, stderr } = await call('eval', 'sample', '--samples', '2', '--json');
  expect({ status, stderr }).toMatchObject({ status: 0 });
  const document = JSON.parse(stdout) as { runId: string; folder: string; wideseek: { complete: boolean } };
  expect(document.wideseek.complete).toBe(true);
  expect(stderr).toContain('All 6 samples are scored.');
  expect(stderr).toMatch(/f1_by_item\s+50\.0/);
  for (const name of ['report.html', 'metric.json', 'allresult.json'])
    expect(existsSync(join(cwd, document.folder, name))).toBe(true);
});

test('an incomplete evaluation ends with 3, resumed with the same settings it ends with 0; both can be compared', async () => {
  const first = await call('eval', 'sample', '--limit', '7', '--samples', '1');
  expect(first.status).toBe(3);
  expect(first.stderr).toContain('Incomplete: 6 of 7 samples are scored, 1 are unscored.');
  const id = idIn(first.stderr);
  expect(first.stderr).toContain(`wideseek eval --resume ${id}`);
  // The limit and the samples come from how it was started.
  const resumed = await call('eval', '--resume', id.slice(-4));
  expect(resumed.stderr).toContain('All 7 samples are scored.');
  expect(resumed.status).toBe(0);
  expect((await call('eval', '--report', id)).status).toBe(0);

  const other = idIn((await call('eval', 'sample', '--limit', '7', '--samples', '2')).stderr);
  const compared = await call('compare', id, other);
  expect(compared.status).toBe(0);
  expect(compared.stdout).toMatch(/f1_by_item\s+50\.0\s+50\.0\s+0\.0 \(0\.0 to 0\.0\)/);
  expect(compared.stdout).toContain('samples: 1 → 2');
});

test('a failure says why and what kind; bad input is said before anything starts', async () => {
  const failed = await call('eval', 'sample', '--limit', '8', '--json');
  expect(failed.status).toBe(2);
  expect(JSON.parse(failed.stdout)).toMatchObject({
    error: { type: 'InvalidInput', message: 'no such data set' },
  });
  expect((await call('eval', 'nothing')).stderr).toContain('there is no evaluation "nothing"');
  expect((await call('eval')).status).toBe(2);
  expect((await call('eval', 'sample', '--sweep', 'width')).stderr).toContain(
    '--sweep: "width" is not key=value',
  );
  expect((await call('eval', '--resume', 'unknown')).stderr).toContain('there is no evaluation "unknown"');
});

test('detached, paused, watched again and cancelled with Ctrl-C', async () => {
  const started = await call('eval', 'sample', '--limit', '9', '--samples', '1', '--detach', '--json');
  const { runId } = JSON.parse(started.stdout) as { runId: string };
  await eventually(() => existsSync(homePaths(box.home).state));
  let paused = { status: 1, stderr: '' };
  for (let n = 0; n < 50 && paused.status !== 0; n += 1) paused = await call('eval', '--pause', runId);
  expect(paused.stderr).toContain('paused; 2 questions finish');
  const watching = launch('eval', '--resume', runId);
  await eventually(() => watching.written.stderr.includes('1/9 samples (11%) · 2 running'));
  watching.interrupt();
  expect(await watching.status).toBe(130);
  expect(watching.written.stderr).toContain('scored samples are kept');
});

test('a sweep runs one evaluation per value and draws the curve', async () => {
  const { status, stdout } = await call(
    'eval',
    'sample',
    '--samples',
    '1',
    '--sweep',
    'agents.width=1,2',
    '--json',
  );
  expect(status).toBe(0);
  const { prefix, points } = JSON.parse(stdout) as { prefix: string; points: SweepPoint[] };
  expect(points.map(({ value, runId }) => [value, runId])).toEqual([
    [1, `${prefix}-width1`],
    [2, `${prefix}-width2`],
  ]);
  const page = readFileSync(join(cwd, 'wideseek-runs', prefix, 'sweep.html'), 'utf8');
  expect(page.match(/<svg/g)).toHaveLength(3);
  expect(page).toContain(`../${prefix}-width2/report.html`);
});

test('schedules from the command line', async () => {
  const create = ['schedule', 'create', 'nightly', 'sample', '--zone', 'Europe/Berlin', '--samples', '1'];
  const made = await call(...create, '--webhook', 'https://hooks.example.org/x', '--json');
  expect({ status: made.status, stderr: made.stderr }).toMatchObject({ status: 0 });
  expect(JSON.parse(made.stdout)).toMatchObject({
    ...{ name: 'nightly', at: '02:00', overlap: 'BUFFER_ONE' },
    input: { gate: { tolerance: 0 }, set: { samples: 1, 'notify.webhook': 'https://hooks.example.org/x' } },
  });
  expect(made.stderr).toContain('When the clocks change in Europe/Berlin');
  expect((await call('schedule', 'pause', 'nightly')).stdout).toBe('Paused nightly.\n');
  expect((await call('schedule', 'describe', 'nightly')).stdout).toContain(
    'every day at 02:00 Europe/Berlin (paused)',
  );
  expect((await call('schedule', 'resume', 'nightly')).status).toBe(0);
  expect((await call('schedule', 'trigger', 'nightly')).status).toBe(0);
  const filled = await call('schedule', 'backfill', 'nightly', '--from', '2026-01-01', '--to', '2026-01-03');
  expect(filled.status).toBe(0);
  expect((await call('schedule', 'list', '--json')).status).toBe(0);
  expect((await call('schedule', 'delete', 'nightly')).stdout).toBe('Deleted nightly.\n');
  expect((await call('schedule', 'describe', 'nightly')).status).toBe(2);
});
