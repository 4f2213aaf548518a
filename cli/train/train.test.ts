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

vi.setConfig({ testTimeout: 120_000, hookTimeout: 240_000 });

let box: Awaited<ReturnType<typeof sandbox>>;
let cwd: string;

beforeAll(async () => {
  box = await sandbox();
  // The canned worker trains nothing, so nothing asks this engine.
  box.env.WIDESEEK_ENGINE_URL = 'http://127.0.0.1:1';
  cwd = join(box.home, 'desk');
  mkdirSync(cwd);
  writeFileSync(join(cwd, 'sequences.jsonl'), '{"tokens":[1,2],"weights":[0,1]}\n');
  const index = join(homePaths(box.home).index, 'sample');
  mkdirSync(index, { recursive: true });
  const manifest = { format: 1, generation: 'abc', encoder: 'none', dimensions: 0, passages: 3, pages: 2 };
  writeFileSync(join(index, 'current.json'), JSON.stringify(manifest));
  const worker = tsxCommand('cli/train/testing/fake-worker.ts');
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

test('train says its plan, shows its steps, writes its report, and prints one JSON object', async () => {
  const { status, stdout, stderr } = await call(
    'train',
    'mini',
    '--set',
    'steps=3',
    '--name',
    'one',
    '--json',
  );
  expect({ status, stderr }).toMatchObject({ status: 0 });
  expect(stderr).toMatch(/^Plan of mini\n/);
  expect(stderr).toContain('Run train-one');
  expect(stderr).toContain('3 steps: 4 groups trained, 1 without signal, 0 failed, 0 expired.');
  const printed = JSON.parse(stdout) as { runId: string; folder: string; steps: number };
  expect(printed).toMatchObject({ runId: 'train-one', steps: 3 });
  expect(existsSync(join(cwd, printed.folder, 'report.html'))).toBe(true);

  const again = await call('train', 'report', 'train-one', '--json');
  expect(JSON.parse(again.stdout)).toMatchObject({ steps: 3, folder: printed.folder });
  expect((await call('show', 'train-one')).stdout).toContain('train is ok after 3 steps');
  expect((await call('runs')).stdout).toMatch(/train-one\s+\S+ \S+\s+ok/);
  // An earlier run makes the plan one of measured figures.
  const plan = await call('train', 'mini', '--plan', '--json');
  expect(JSON.parse(plan.stdout)).toMatchObject({ tokensPerStep: expect.any(Number) as number });
  expect(plan.stdout).toContain('run train-one');
});

test('orders reach a running training: pause, rate, resume, stop; watching it ends with the same words', async () => {
  const started = await call('train', 'mini', '--set', 'steps=50', '--name', 'two', '--detach', '--json');
  expect(JSON.parse(started.stdout)).toMatchObject({ runId: 'train-two', status: 'running' });
  await eventually(() => existsSync(homePaths(box.home).state));
  let paused = { status: 1, stdout: '' };
  for (let n = 0; n < 50 && paused.status !== 0; n += 1) paused = await call('train', 'pause', 'train-two');
  expect(paused.stdout).toBe('train-two: paused after step 1; 2 groups finish\n');
  expect((await call('train', 'lr', 'train-two', '1e-6')).stdout).toContain('rate 0.000001');
  expect((await call('train', 'lr', 'train-two', 'schedule')).stdout).toContain('rate null');
  expect((await call('train', 'lr', 'train-two', 'fast')).stderr).toContain('rate: "fast" is neither');
  expect((await call('train', 'resume', 'train-two')).stdout).toContain('goes on');
  const watching = launch('watch', 'train-two');
  await eventually(() => watching.written.stderr.includes('step 1/50 · rollouts'));
  expect((await call('train', 'stop', 'train-two', '--after', '7')).stdout).toContain('ends after step 7');
  expect(await watching.status).toBe(3);
  expect(watching.written.stderr).toContain('7 steps (stopped)');
  const late = await call('train', 'pause', 'train-two');
  expect([late.status, late.stderr]).toEqual([
    2,
    expect.stringContaining('no training train-two is running'),
  ]);
});

test('one that failed says why and goes on with the settings that it was started with', async () => {
  const failed = await call('train', 'mini', '--set', 'steps=13', '--name', 'three', '--json');
  expect(failed.status).toBe(4);
  expect(JSON.parse(failed.stdout)).toMatchObject({ status: 'failed', error: { type: 'NoSignal' } });
  expect(failed.stderr).toContain('wideseek train --resume train-three');
  expect((await call('resume', 'train-three')).stderr).toContain('wideseek train --resume train-three');
  const resumed = await call('train', '--resume', 'train-three');
  expect({ ...resumed, stdout: '' }).toMatchObject({ status: 0 });
  expect(resumed.stderr).toContain('13 steps: ');
  const longer = await call('train', '--resume', 'train-three', '--set', 'steps=14');
  expect(longer.stderr).toContain('14 steps: ');
});

test('a cancelled training keeps what it has', async () => {
  const watching = launch('train', 'mini', '--set', 'steps=50', '--name', 'four');
  await eventually(() => watching.written.stderr.includes('step 1/50'));
  watching.interrupt();
  expect(await watching.status).toBe(130);
  expect(watching.written.stderr).toContain('checkpoints and finished groups are kept');
});

test('a warm start, and a training from its checkpoint', async () => {
  const set = ['--set', 'data.file=sequences.jsonl', '--set', 'steps=2'];
  const warm = await call('sft', 'warm-start', ...set, '--name', 'warm', '--json');
  expect({ ...warm, stdout: '' }).toMatchObject({ status: 0 });
  expect(JSON.parse(warm.stdout)).toMatchObject({ checkpoint: 'tinker://m/weights/sft-warm', loss: 0.25 });
  const from = await call(
    'train',
    'mini',
    '--set',
    'steps=50',
    '--from',
    'sft-warm',
    '--name',
    'five',
    '--detach',
  );
  expect(from.status).toBe(0);
  const watching = launch('watch', 'train-five');
  await eventually(() => /init \S+/.test(watching.written.stderr));
  expect(watching.written.stderr).toContain('init tinker://m/weights/sft-warm');
  const cancelled = await call('cancel', 'train-five');
  expect(cancelled.status).toBe(0);
  expect(cancelled.stderr).toContain('train-five was cancelled; checkpoints and finished groups are kept.');
  await watching.status;
  expect((await call('train', 'pause', 'sft-warm')).stderr).toContain('does not train on rollouts');
});

test('a collection is exported; what is wrong is said before anything starts', async () => {
  const out = await call(
    'rollout',
    'collect',
    '--set',
    'groups=3',
    '--out',
    'groups.jsonl',
    '--name',
    'some',
  );
  expect({ ...out, stdout: '' }).toMatchObject({ status: 0 });
  expect(out.stderr).toContain('3 groups: 24 rollouts scored, 0 failed.');
  expect(readFileSync(join(cwd, 'groups.jsonl'), 'utf8')).toBe('');
  const wrong = async (...args: string[]) => (await call(...args)).stderr;
  expect(await wrong('train')).toContain('nothing is named to start');
  expect(await wrong('train', 'unheard-of')).toContain('there is no training "unheard-of"');
  expect(await wrong('train', 'mini', '--set', 'maxStalenes=2')).toMatch(/maxStalenes/);
  expect(await wrong('train', 'mini', '--name', 'a/b')).toContain('may hold letters');
  expect(await wrong('sft', 'warm-start', '--set', 'data.file=none.jsonl')).toContain('there is no file');
  expect(await wrong('train', '--resume', 'sft-warm')).toContain('no run of wideseek train');
});
