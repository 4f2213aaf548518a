import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCheckpoints, readTrainer } from '../../activities/trainer/live-model.ts';
import {
  groupDocumentSchema,
  groupsOf,
  HOSTS,
  stepDocumentSchema,
  stepsOf,
} from '../../activities/trainer/records.ts';
import { TASK_QUEUE } from '../../domain/run.ts';
import { ensureBaseModel } from '../../infra/local/engine-models.ts';
import { freePort } from '../../infra/local/ports.ts';
import type { TrainOutcome } from '../../workflows/train.ts';
import { enginePython, engineReason, jaxClient, startJaxEngine } from './jax-engine.ts';
import { seeded, shuffled } from './random.ts';
import { startTrainStack, type TrainPart, type TrainStack } from './train-stack.ts';
import { makeWarmModel } from './warm-start.ts';

const MINUTES = 60_000;
const RUN = 'train-kill';
const STEPS = 2;
const QUESTIONS = 2;

/** The miniature, cut short: a step is two groups of four rollouts, an optimiser step each. */
const SET = {
  ...{ deterministic: true, 'engine.baseModel': 'warm', 'data.dataset.limit': QUESTIONS, evalEvery: null },
  ...{
    groupSize: 4,
    batchGroups: 2,
    maxConcurrentGroups: 2,
    steps: STEPS,
    minibatches: 2,
    checkpointEvery: 1,
  },
  // Several calls an optimiser step, so that there is a middle to be killed in.
  ...{ tokenBudget: 300, barrenGroups: 40 },
  ...{
    'optimiser.schedule.kind': 'constant',
    'optimiser.schedule.peak': 5e-5,
    'optimiser.schedule.warmupSteps': 0,
  },
  ...{ 'agents.lead.replyTokens': 64, 'budget.minutes': 120 },
  ...{ 'retry.model.attempts': 50, 'retry.model.firstSeconds': 0.2, 'retry.model.maxSeconds': 2 },
};

const begin = (stack: TrainStack, set: Record<string, number> = {}) =>
  stack.client.workflow.start('train', {
    taskQueue: TASK_QUEUE,
    workflowId: 'train/kill',
    args: [{ config: 'mini', set: { ...SET, ...set } }],
  });

const hash = (...file: string[]): string =>
  createHash('sha256')
    .update(readFileSync(join(...file)))
    .digest('hex');

/** Everything about a finished training that must not depend on who died: bytes, tokens, rewards, numbers. */
async function traceOf({ store, checkpoints }: TrainStack) {
  const groups = (await store.documents.list(groupsOf(RUN))).map(({ value }) =>
    groupDocumentSchema.parse(value),
  );
  const steps = (await store.documents.list(stepsOf(RUN))).map(({ value }) =>
    stepDocumentSchema.parse(value),
  );
  const last = (await readCheckpoints(store, RUN)).at(-1)!;
  const [model = '', kind = '', name = ''] = last.path.replace('tinker://', '').split('/');
  const [owner = '', version = ''] = last.snapshot.replace('tinker://', '').split('/');
  return {
    // A rollout's ref is the hash of its tokens and log-probs.
    groups: groups.map(({ id, questionId, fate, rollouts }) => ({ id, questionId, fate, rollouts })),
    steps: steps.map(({ metrics, at: _, ...rest }) => ({
      ...rest,
      metrics: Object.fromEntries(
        Object.entries(metrics).filter(([key]) => !key.startsWith('time/') && key !== 'trainer/idle_share'),
      ),
    })),
    checkpoint: {
      step: last.step,
      weights: hash(checkpoints, model, kind, name, 'model.safetensors'),
      moments: hash(checkpoints, model, kind, name, 'optimizer.safetensors'),
      published: hash(checkpoints, owner, 'sampler_weights', version, 'model.safetensors'),
    },
  };
}

/** Groups closed and steps taken. */
const progressOf = async ({ store }: TrainStack): Promise<number> =>
  (await store.documents.list(groupsOf(RUN))).length + (await store.documents.list(stepsOf(RUN))).length;

describe.skipIf(enginePython === undefined)(`the real engine is killed${engineReason}`, () => {
  let dir: string;
  let models: string;
  let calm: Awaited<ReturnType<typeof traceOf>>;
  let seconds: number;
  const seed = Number(process.env.WIDESEEK_TEST_SEED ?? Date.now() % 1_000_000);
  const random = seeded(seed);
  const say = (line: string): void => console.log(`kill engine, seed ${seed}: ${line}`);

  const withStack = async <T>(parts: TrainPart[], use: (stack: TrainStack) => Promise<T>): Promise<T> => {
    const stack = await startTrainStack(parts, models);
    try {
      return await use(stack);
    } catch (error) {
      console.error(`WIDESEEK_TEST_SEED=${seed} plays this again\n${stack.words()}`);
      throw error;
    } finally {
      await stack.stop();
    }
  };

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'wideseek-kill-engine-'));
    models = join(dir, 'models');
    await ensureBaseModel({ python: enginePython!, models }, 'mini', { env: process.env, seed: 1 });
    const folders = { models, checkpoints: join(dir, 'checkpoints') };
    const port = await freePort();
    const engine = await startJaxEngine({ port, ...folders, log: join(dir, 'engine.log') });
    const began = Date.now();
    const task = { questions: QUESTIONS, samples: 2, steps: 32 };
    const loss = await makeWarmModel(jaxClient(port, 'mini'), folders, task);
    await engine.stop(0);
    say(`warm start in ${((Date.now() - began) / 1000).toFixed(1)} s, loss ${loss.toFixed(3)}`);

    calm = await withStack(['server', 'engine-a', 'all-a'], async (stack) => {
      const start = Date.now();
      const outcome = (await (await begin(stack)).result()) as TrainOutcome;
      seconds = (Date.now() - start) / 1000;
      expect(outcome).toMatchObject({ steps: STEPS, reason: 'steps' });
      return traceOf(stack);
    });
    say(`undisturbed in ${seconds.toFixed(1)} s, ${calm.groups.length} groups`);
  }, 20 * MINUTES);
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  it('an undisturbed training learns from rollouts that differ', () => {
    const rewards = calm.groups.flatMap(({ rollouts }) => rollouts.map(({ reward }) => reward));
    expect(new Set(rewards).size).toBeGreaterThan(1);
    expect(calm.steps).toHaveLength(STEPS);
    expect(calm.steps.every(({ metrics }) => metrics['train/actor/grad_norm']! > 1e-4)).toBe(true);
    expect(calm.groups.some(({ rollouts }) => rollouts.some(({ agents }) => agents > 1))).toBe(true);
  });

  it(
    'every process, at random moments: the last checkpoint is the same, byte for byte',
    async () => {
      const parts: TrainPart[] = ['server', 'engine-a', 'trainer-a', 'rollouts-1'];
      const order = shuffled(parts, random);
      const all = calm.groups.length + STEPS;
      // Spread over the whole run, the last step included.
      const moments = order.map((_, index) => Math.floor(((index + random()) / order.length) * (all - 1)));
      const reached: number[] = [];
      const trace = await withStack(parts, async (stack) => {
        const start = Date.now();
        const handle = await begin(stack, { 'trainer.heartbeatSeconds': 3 });
        const revived: Promise<void>[] = [];
        for (const [index, part] of order.entries()) {
          const poll = { timeout: 10 * MINUTES, interval: 20 };
          await expect.poll(() => progressOf(stack), poll).toBeGreaterThanOrEqual(moments[index]!);
          await sleep(random() * 500);
          reached.push(await progressOf(stack));
          stack.kill(part);
          // The next one may die before this one is back.
          const reviving = sleep(200).then(() => stack.start(part));
          reviving.catch(() => undefined);
          revived.push(reviving);
        }
        await Promise.all(revived);
        const outcome = (await handle.result()) as TrainOutcome;
        expect(outcome).toMatchObject({ steps: STEPS, reason: 'steps' });
        const took = ((Date.now() - start) / 1000).toFixed(1);
        say(`killed ${order.join(', ')} at ${reached.join(', ')} of ${all}; ${took} s`);
        return traceOf(stack);
      });
      expect(reached[2]).toBeLessThan(all);
      expect(trace).toEqual(calm);
    },
    20 * MINUTES,
  );

  it(
    'a host that dies in the middle of a step: another one goes on from the last checkpoint, to the same bytes',
    // A starved test may see the middle of the step too late; then it takes another.
    { timeout: 20 * MINUTES, retry: 2 },
    async () => {
      const parts: TrainPart[] = ['server', 'rollouts-1', 'engine-a', 'trainer-a', 'engine-b'];
      const trace = await withStack(parts, async (stack) => {
        const start = Date.now();
        const handle = await begin(stack, { 'trainer.heartbeatSeconds': 3, 'trainer.hostSeconds': 3 });
        // The second step's first optimiser step is done, and the step is not.
        const taken = async (): Promise<number> => {
          const report = await fetch(`${stack.engineUrl('a')}/api/v1/engine`);
          return ((await report.json()) as { training: { optim_steps: number } }).training.optim_steps;
        };
        await expect.poll(taken, { timeout: 5 * MINUTES, interval: 5 }).toBeGreaterThanOrEqual(3);
        stack.kill('engine-a');
        stack.kill('trainer-a');
        expect((await readTrainer(stack.store, RUN))?.applied).toBe(1);
        expect(await stack.store.documents.get(HOSTS, 'host-a')).toMatchObject({ run: RUN });
        await stack.start('trainer-b');
        const outcome = (await handle.result()) as TrainOutcome;
        expect(outcome).toMatchObject({ steps: STEPS, reason: 'steps' });
        expect((await readTrainer(stack.store, RUN))?.url).toBe(stack.engineUrl('b'));
        say(`another host took over; ${((Date.now() - start) / 1000).toFixed(1)} s`);
        return traceOf(stack);
      });
      expect(trace).toEqual(calm);
    },
  );
});
