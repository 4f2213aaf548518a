import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { expect, it } from 'vitest';
import { openStore } from '../../activities/store/open.ts';
import { groupFates } from '../../activities/trainer/export.ts';
import { readPolicy } from '../../activities/trainer/policy.ts';
import { stepsOf } from '../../activities/trainer/records.ts';
import { createWireEngine } from '../../activities/trainer/wire/engine.ts';
import { ENGINES } from '../../domain/rl/engine.ts';
import { TASK_QUEUE } from '../../domain/run.ts';
import type { Child } from '../../infra/local/child.ts';
import { findTemporalServer } from '../../infra/local/find-temporal.ts';
import { packageRoot } from '../../infra/local/home.ts';
import { freePort } from '../../infra/local/ports.ts';
import { startTemporalServer } from '../../infra/local/server.ts';
import { tsxCommand } from '../../infra/local/worker-process.ts';
import type { TrainOutcome } from '../../workflows/train.ts';
import { seeded } from './random.ts';

const MINUTES = 60_000;
const STEPS = 4;
type Part = 'worker' | 'engine' | 'server';

/** Server, one worker and the engine, each a process; a training with the same name on databases of its own. */
async function train(kills: readonly Part[], random: () => number) {
  const dir = mkdtempSync(join(tmpdir(), 'wideseek-kill-train-'));
  const questions = join(dir, 'questions.jsonl');
  const lines = Array.from({ length: 4 }, (_, i) => ({
    id: `q${i}`,
    question: `Even, ${i}?`,
    answer: 'even',
  }));
  writeFileSync(questions, lines.map((line) => JSON.stringify(line)).join('\n'));
  const storeUrl = `sqlite:${join(dir, 'store.db')}`;
  const [port, uiPort, enginePort] = [await freePort(), await freePort(), await freePort()];
  const address = `127.0.0.1:${port}`;
  const url = `http://127.0.0.1:${enginePort}`;
  const found = await findTemporalServer(undefined, { env: { ...process.env, TEMPORAL_ADDRESS: undefined } });
  if (found.kind !== 'binary') throw new Error('no server binary');
  const files = { dbFile: join(dir, 'temporal.db'), log: join(dir, 'server.log') };
  let server: Child | undefined;
  const children = new Map<Part, ChildProcess>();
  const run = (part: Part, file: string, args: string[]): void => {
    const { command, args: all } = tsxCommand(file, args);
    children.set(part, spawn(command, all, { cwd: packageRoot, stdio: 'ignore' }));
  };
  const begin = async (part: Part): Promise<void> => {
    if (part === 'engine')
      run(part, 'test/e2e/training-engine-main.ts', [`${enginePort}`, join(dir, 'saved')]);
    else if (part === 'worker')
      run(part, 'test/e2e/training-worker-main.ts', [address, storeUrl, url, 'host']);
    else {
      // Its port is free when it is gone.
      await server?.exited;
      server = (await startTemporalServer({ binary: found.path, ...files, port, uiPort })).child;
    }
  };
  const kill = (part: Part): void => {
    const pid = part === 'server' ? server?.process.pid : children.get(part)?.pid;
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
  };
  for (const part of ['server', 'engine', 'worker'] as const) await begin(part);
  const store = await openStore(storeUrl);
  const connection = await Connection.connect({ address });
  try {
    const handle = await new Client({ connection }).workflow.start('train', {
      taskQueue: TASK_QUEUE,
      workflowId: 'train/killed',
      args: [
        {
          config: 'wideseek-r1-4b',
          set: {
            ...{ 'engine.kind': 'local', 'engine.name': 'local-jax', 'engine.baseModel': 'fake-model' },
            ...{ 'data.dataset.name': 'toy', 'data.dataset.path': questions, 'data.epochs': null },
            ...{ 'policy.set': null, 'judge.provider': 'none', 'reward.single': 'em', evalEvery: null },
            ...{ 'optimiser.schedule.peak': 0.5, 'agents.workflow': 'sa', 'retry.model.attempts': 30 },
            ...{ groupSize: 4, batchGroups: 2, steps: STEPS, minibatches: 2, checkpointEvery: 2 },
            ...{ 'trainer.heartbeatSeconds': 3, 'trainer.hostSeconds': 20 },
          },
        },
      ],
    });
    const steps = async (): Promise<number> => (await store.documents.list(stepsOf('train-killed'))).length;
    for (const [index, part] of kills.entries()) {
      await expect.poll(steps, { timeout: 4 * MINUTES, interval: 20 }).toBeGreaterThan(Math.floor(index / 2));
      await sleep(random() * 1500);
      kill(part);
      await sleep(200);
      await begin(part);
    }
    const outcome = (await handle.result()) as TrainOutcome;
    const policy = await readPolicy(store.documents, 'train-killed');
    const engine = createWireEngine({
      ...{ baseUrl: url, capabilities: ENGINES['local-jax'], baseModel: 'fake-model', vocabSize: 64 },
    });
    // The last kill may have come after the last step: the training is over while the engine still starts.
    await expect.poll(() => fetch(url).then(Boolean, () => false), { timeout: MINUTES }).toBe(true);
    const prompt = Int32Array.from({ length: 60 }, (_, i) => (i * 7) % 64);
    const weights = await engine.promptLogprobs(prompt, policy!.path, AbortSignal.timeout(20_000));
    const trained = (await groupFates(store, 'train-killed')).filter(({ fate }) => fate.kind === 'trained');
    return { outcome, weights: [...weights], trained: trained.map(({ id, fate }) => ({ id, fate })) };
  } finally {
    await connection.close();
    for (const part of ['worker', 'engine', 'server'] as const) kill(part);
    await store.close();
    await sleep(200);
    rmSync(dir, { recursive: true, force: true });
  }
}

it(
  'a training whose processes are killed ends with the weights of an undisturbed one',
  async (context) => {
    const seed = Number(process.env.WIDESEEK_TEST_SEED ?? Date.now() % 1_000_000);
    context.onTestFailed(() => console.error(`kill training: WIDESEEK_TEST_SEED=${seed} plays this again`));
    const random = seeded(seed);
    const calm = await train([], random);
    const killed = await train(['worker', 'engine', 'server', 'worker', 'engine'], random);
    expect(killed.outcome).toMatchObject({ steps: STEPS, reason: 'steps' });
    expect(killed.trained).toEqual(calm.trained);
    expect(killed.weights).toEqual(calm.weights);
  },
  15 * MINUTES,
);
