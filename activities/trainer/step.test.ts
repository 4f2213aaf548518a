import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadTrainConfig } from '../../configs/train-load.ts';
import { EQUAL_REWARDS_FILTER } from '../../domain/rl/filter.ts';
import { numberKey } from '../../domain/rl/names.ts';
import { inActivity } from '../judge/testing.fake.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/port.ts';
import { type FakeEngine, startFakeEngine } from './fake-engine.ts';
import { createLeases, type Leases } from './lease.ts';
import { readCheckpoints, readTrainer } from './live-model.ts';
import type { TrainPlan, TrainSettings } from './plan.ts';
import { readPolicy } from './policy.ts';
import type { TrainingEngine } from './port.ts';
import {
  type BatchDocument,
  batchesOf,
  checkpointsOf,
  groupDocumentSchema,
  groupsOf,
  stepDocumentSchema,
  stepsOf,
} from './records.ts';
import { createTrainerActivities, hostQueue, type TrainToResult } from './step.ts';
import { groupWith, sampledBy, storeGroup } from './testing.fake.ts';

const signal = new AbortController().signal;
let fake: FakeEngine;
let engine: TrainingEngine;
let store: Store;
let leases: Leases;
beforeEach(async () => {
  fake = await startFakeEngine();
  engine = fake.client();
  store = await openStore(':memory:');
  leases = leasesOf('a');
});
afterEach(async () => {
  await leases.release('r');
  await store.close();
  await fake.close();
});

const leasesOf = (host: string): Leases => createLeases({ store, host, now: () => 1_000 });
const planWith = async (set: Record<string, unknown> = {}): Promise<TrainPlan> => {
  const config = await loadTrainConfig('wideseek-r1-4b', {
    ...{ 'engine.kind': 'local', 'engine.name': 'local-jax', 'engine.baseModel': fake.baseModel },
    ...{ 'optimiser.schedule.peak': 0.1, minibatches: 1, checkpointEvery: 2, steps: 4, ...set },
  });
  const settings: TrainSettings = { config, questions: [], dev: [] };
  return {
    ...{ runId: 'r', workflowId: 'train/r', settingsRef: await store.put(JSON.stringify(settings)) },
    ...{ groupSize: 3, groups: null, maxConcurrentGroups: 4, groupMinutes: 1, attempts: 1, minScored: 2 },
    ...{ filter: EQUAL_REWARDS_FILTER, judged: false, historyEvents: 100, training: null },
  };
};
const trainer = (host = 'a', holds = leases) =>
  createTrainerActivities({ store, host, now: () => 77, engine: () => ({ engine, url: fake.url }) }, holds);
const trainTo = (plan: TrainPlan, target: number): Promise<TrainToResult> =>
  inActivity(() => trainer().trainTo({ plan, target }));

/** A batch of one group, whose tokens the base model gave these log-probs. */
async function compose(step: number, rewards: readonly number[]): Promise<void> {
  const id = `g${step}`;
  const group = await sampledBy(groupWith(id, rewards), (tokens) =>
    engine.promptLogprobs(tokens, null, signal),
  );
  await storeGroup(store, 'r', group);
  const batch: BatchDocument = {
    ...{ step, groups: [id], reason: 'count', expired: [], learningRates: [0.1], waitMs: 500 },
  };
  await store.documents.put(batchesOf('r'), numberKey(step), batch);
}
const stepOf = async (step: number) =>
  stepDocumentSchema.parse(await store.documents.get(stepsOf('r'), numberKey(step)));
const fateOf = async (id: string) =>
  groupDocumentSchema.parse(await store.documents.get(groupsOf('r'), id)).fate;

describe('a trainer', () => {
  test('publishes the start as version 0, and keeps it as a checkpoint', async () => {
    const result = await trainTo(await planWith(), 0);
    expect(result).toMatchObject({ kind: 'done', restored: true, checkpoint: true });
    expect(await readPolicy(store.documents, 'r')).toMatchObject({ version: 0, url: fake.url });
    expect((await readCheckpoints(store, 'r')).map(({ step }) => step)).toEqual([0]);
    expect(fake.done().optim_step ?? 0).toBe(0);
  });

  test('takes a step, says what it was, and does nothing when asked for it again', async () => {
    const plan = await planWith();
    await trainTo(plan, 0);
    await compose(0, [1, 0, 0.5]);
    expect(await trainTo(plan, 1)).toMatchObject({
      ...{ kind: 'done', restored: false, checkpoint: false },
      policy: { version: 1 },
    });
    const step = await stepOf(0);
    expect(step).toMatchObject({ step: 0, version: 0, at: 77, groups: ['g0'] });
    expect(step.metrics).toMatchObject({ 'time/rollout': 0.5, 'train/actor/lr': 0.1 });
    expect(step.metrics['time/sync_weights']).toBeGreaterThan(0);
    expect(await fateOf('g0')).toEqual({ kind: 'trained', step: 0 });

    await trainTo(plan, 1);
    expect(fake.done().optim_step).toBe(1);
    expect(await stepOf(0)).toEqual(step);
    expect(await readTrainer(store, 'r')).toMatchObject({ applied: 1 });
  });

  test('repeats the steps since the last checkpoint when the engine lost the model, and records none twice', async () => {
    const plan = await planWith();
    await trainTo(plan, 0);
    for (const step of [0, 1, 2]) {
      await compose(step, [1, 0, step / 4]);
      await trainTo(plan, step + 1);
    }
    const known = await Promise.all([0, 1, 2].map(stepOf));
    expect((await readCheckpoints(store, 'r')).map(({ step }) => step)).toEqual([0, 2]);
    fake.restart();
    await compose(3, [0, 1, 1]);
    expect(await trainTo(plan, 4)).toMatchObject({ kind: 'done', restored: true, checkpoint: true });
    // Three, then the third again from the checkpoint of two, and the fourth.
    expect(fake.done().optim_step).toBe(5);
    expect(await Promise.all([0, 1, 2].map(stepOf))).toEqual(known);
  });

  test('does not touch the engine for a batch without anything to learn from', async () => {
    const plan = await planWith();
    await trainTo(plan, 0);
    await compose(0, [1, 1, 1]);
    const before = fake.counts();
    expect(await trainTo(plan, 1)).toEqual({ kind: 'empty' });
    expect(fake.counts()).toEqual(before);
    expect(await fateOf('g0')).toEqual({ kind: 'ready' });
  });

  test('names what is missing instead of training on something else', async () => {
    const plan = await planWith();
    await trainTo(plan, 0);
    await expect(trainTo(plan, 1)).rejects.toThrow('run r: the batch of step 0 is not in the store');

    const kl = { 'algorithm.kl.kind': 'k3', 'algorithm.kl.beta': 0.1 };
    const [start] = await readCheckpoints(store, 'r');
    const held = await planWith({ ...kl, 'engine.init': start!.path });
    await compose(0, [1, 0, 0.5]);
    await store.documents.put(checkpointsOf('r'), numberKey(0), { ...start!, step: 9 });
    await expect(trainTo(held, 1)).rejects.toThrow('the checkpoint that it started from is not in the store');
    expect(fake.done().optim_step ?? 0).toBe(0);
  });
});

test('one host works for one run, until that run gives it back', async () => {
  const acquire = (run: string) => inActivity(() => trainer().acquireTrainer(run));
  expect(await acquire('r')).toEqual({ host: 'a', queue: hostQueue('a') });
  expect(await acquire('r')).toEqual({ host: 'a', queue: 'train-a' });
  await expect(acquire('other')).rejects.toThrow('trainer a works for run r');
  const second = trainer('b', leasesOf('b'));
  expect(await inActivity(() => second.acquireTrainer('other'))).toMatchObject({ queue: 'train-b' });
  await inActivity(() => trainer().releaseTrainer('r'));
  expect(await acquire('other')).toMatchObject({ host: 'a' });
});
