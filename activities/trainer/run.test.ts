import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadTrainConfig } from '../../configs/train-load.ts';
import { EQUAL_REWARDS_FILTER } from '../../domain/rl/filter.ts';
import { evalGroupId, numberKey } from '../../domain/rl/names.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/port.ts';
import { readCheckpoints } from './live-model.ts';
import type { TrainingPlan, TrainPlan, TrainSettings } from './plan.ts';
import {
  batchesOf,
  type Checkpoint,
  checkpointsOf,
  evalsOf,
  groupDocumentSchema,
  groupsOf,
  type RolloutFacts,
  stepsOf,
  TRAINERS,
  TRAININGS,
} from './records.ts';
import { type BatchInput, createTrainRunActivities } from './run.ts';
import { factsWith, groupWith, storeGroup } from './testing.fake.ts';

let store: Store;
let plan: TrainPlan;
beforeEach(async () => {
  store = await openStore(':memory:');
  const set = {
    minibatches: 2,
    steps: 4,
    'optimiser.schedule.kind': 'linear',
    'optimiser.schedule.peak': 0.8,
  };
  const config = await loadTrainConfig('wideseek-r1-4b', set);
  const settings: TrainSettings = { config, questions: [], dev: [] };
  plan = {
    ...{ runId: 'r', workflowId: 'train/r', settingsRef: await store.put(JSON.stringify(settings)) },
    ...{ groupSize: 2, groups: null, maxConcurrentGroups: 4, groupMinutes: 1, attempts: 1, minScored: 2 },
    ...{ filter: EQUAL_REWARDS_FILTER, judged: false, historyEvents: 100, training: null },
  };
  for (const id of ['g0', 'g1', 'g2']) await storeGroup(store, 'r', groupWith(id, [1, 0]));
});
afterEach(() => store.close());

const activities = () =>
  createTrainRunActivities({ store, now: () => 77, env: {}, checkSearch: () => Promise.resolve() });
const batchInput = (change: Partial<BatchInput> = {}): BatchInput => ({
  ...{ plan, step: 1, waitMs: 500, learningRate: null },
  decision: { kind: 'close', reason: 'explicit', take: ['g1', 'g2'], expired: ['g0'] },
  ...change,
});
const closeWith = (...take: string[]): BatchInput['decision'] => ({
  ...{ kind: 'close', reason: 'count', take, expired: [] },
});
const fateOf = async (id: string) =>
  groupDocumentSchema.parse(await store.documents.get(groupsOf('r'), id)).fate;

describe('a batch', () => {
  test('is fixed by its first composition, and groups that came too late are recorded as expired', async () => {
    const first = await activities().composeBatch(batchInput());
    expect(first).toMatchObject({ step: 1, groups: ['g1', 'g2'], reason: 'explicit', expired: ['g0'] });
    // Two optimiser steps a batch, of eight in all.
    expect(first.learningRates).toHaveLength(2);
    expect(first.learningRates[1]).toBeLessThan(first.learningRates[0]!);
    expect(await fateOf('g0')).toEqual({ kind: 'expired', step: 1 });
    expect(await fateOf('g1')).toEqual({ kind: 'ready' });
    const decision = closeWith('g0');
    expect(await activities().composeBatch(batchInput({ decision, learningRate: 9 }))).toEqual(first);
  });

  test("takes a person's learning rate for all of its steps", async () => {
    const { learningRates } = await activities().composeBatch(batchInput({ learningRate: 0.25 }));
    expect(learningRates).toEqual([0.25, 0.25]);
  });

  test('with nothing to train on is taken back, its groups filtered, and the next one takes its place', async () => {
    await activities().composeBatch(batchInput());
    for (let i = 0; i < 2; i += 1) await activities().discardBatch(plan, 1);
    for (const id of ['g1', 'g2'])
      expect(await fateOf(id)).toEqual({ kind: 'filtered', reason: 'no_tokens' });
    expect(await fateOf('g0')).toEqual({ kind: 'expired', step: 1 });
    const decision = closeWith('g3');
    expect(await activities().composeBatch(batchInput({ decision }))).toMatchObject({ groups: ['g3'] });
  });

  test('is not taken back once its step has been taken', async () => {
    const batch = await activities().composeBatch(batchInput());
    const trainer = { url: 'u', modelId: 'm', sessionId: 's', applied: 2, nextSeq: 9, published: null };
    await store.documents.put(TRAINERS, 'r', trainer);
    await activities().discardBatch(plan, 1);
    expect(await store.documents.get(batchesOf('r'), numberKey(1))).toEqual(batch);
    expect(await fateOf('g1')).toEqual({ kind: 'ready' });
  });
});

describe('progress', () => {
  test('keeps the state and tells the numbers of the step', async () => {
    const training = {
      runId: 'r',
      settingsRef: plan.settingsRef,
      configHash: 'h',
      startedAt: 1,
      state: null,
    };
    await store.documents.put(TRAININGS, 'r', training);
    expect(await activities().recordProgress(plan, { step: 1 }, 0)).toBeNull();
    await store.documents.put(stepsOf('r'), numberKey(0), {
      ...{ step: 0, version: 0, at: 1, staleness: { 0: 5, 2: 1 }, stopReasons: {}, groups: [], expired: [] },
      ...{ filtered: [], excluded: [] },
      metrics: { 'rollout/reward_scores_traj': 0.5, 'rollout/score': 0.4, 'time/training': 2 },
    });
    expect(await activities().recordProgress(plan, { step: 2 }, 0)).toEqual({
      ...{ rewardMean: 0.5, scoreMean: 0.4, idleShare: 0, staleness: 2, trainMs: 2_000 },
    });
    expect(await activities().recordProgress(plan, { step: 3 }, null)).toBeNull();
    expect(await store.documents.get(TRAININGS, 'r')).toEqual({ ...training, state: { step: 3 } });
  });

  test('the end of a run is written into its line, and a run without one is no error', async () => {
    await activities().finishTraining('nobody', 'ok');
    await store.runs.save({
      ...{ runId: 'r', kind: 'train', workflowId: 'train/r', title: 't', config: 'c', status: 'running' },
      ...{ stopReason: null, startedAt: 1, finishedAt: null, resultRef: null },
    });
    await activities().finishTraining('r', 'partial');
    expect(await store.runs.get('r')).toMatchObject({ status: 'partial', finishedAt: 77 });
  });
});

describe('an evaluation', () => {
  const evaluated = (greedy: boolean): TrainPlan => ({
    ...plan,
    training: {
      ...{ steps: 4, evaluation: { questions: 2, samples: 2, greedy, temperature: 1 } },
    } as TrainingPlan,
  });
  const answer = (mode: 'sampled' | 'greedy', question: number, rollouts: RolloutFacts[]) =>
    storeGroup(store, 'r', groupWith('unused', []), { id: evalGroupId(2, mode, question), rollouts }).then(
      async () => {
        const value = await store.documents.get(groupsOf('r'), 'unused');
        await store.documents.put(groupsOf('r'), evalGroupId(2, mode, question), value);
      },
    );
  const missing = factsWith({ kind: 'unscored', reward: null, score: null });

  test('is the mean of what could be scored, and goes with the checkpoint of its step', async () => {
    const checkpoint: Checkpoint = {
      ...{ step: 2, path: 'p', snapshot: 's', url: 'u', score: null, kept: true },
    };
    await store.documents.put(checkpointsOf('r'), numberKey(2), checkpoint);
    await answer('sampled', 0, [factsWith({ score: 1 }), factsWith({ score: 0.5 }), missing]);
    await answer('sampled', 1, [factsWith({ score: 0 })]);
    await answer('greedy', 0, [factsWith({ score: 0.25 })]);
    const summary = await activities().recordEvaluation(evaluated(true), 2);
    expect(summary).toEqual({ step: 2, score: 0.5, greedy: 0.25, unscored: 1 });
    expect((await readCheckpoints(store, 'r')).map(({ score }) => score)).toEqual([0.5]);
    expect(await store.documents.get(evalsOf('r'), numberKey(2))).toMatchObject({ ...summary, at: 77 });
  });

  test('that scored nothing has no score, which is not 0, and gives the checkpoint none', async () => {
    await store.documents.put(checkpointsOf('r'), numberKey(2), {
      ...{ step: 2, path: 'p', snapshot: 's', url: 'u', score: null, kept: true },
    });
    await answer('sampled', 0, [missing, missing]);
    expect(await activities().recordEvaluation(evaluated(false), 2)).toEqual({
      ...{ step: 2, score: null, greedy: null, unscored: 2 },
    });
    expect((await readCheckpoints(store, 'r'))[0]!.score).toBeNull();
  });
});
