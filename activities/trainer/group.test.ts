import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadTrainConfig } from '../../configs/train-load.ts';
import { EQUAL_REWARDS_FILTER } from '../../domain/rl/filter.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/port.ts';
import { createGroupActivities, type GroupInput, loadGroup, type RecordInput, setFate } from './group.ts';
import type { TrainPlan, TrainQuestion, TrainSettings } from './plan.ts';
import { groupDocumentSchema, groupsOf } from './records.ts';
import { factsWith, groupWith, storeGroup } from './testing.fake.ts';

const question = (id: string): TrainQuestion => ({
  id,
  ref: `ref-${id}`,
  kind: 'qa',
  language: 'en',
  text: id,
});
const questions = ['q0', 'q1', 'q2'].map(question);

let store: Store;
let plan: TrainPlan;
beforeEach(async () => {
  store = await openStore(':memory:');
  const config = await loadTrainConfig('wideseek-r1-4b');
  const settings: TrainSettings = { config, questions, dev: [{ ...question('d0'), kind: 'table' }] };
  plan = {
    ...{ runId: 'r', workflowId: 'train/r', settingsRef: await store.put(JSON.stringify(settings)) },
    ...{ groupSize: 2, groups: null, maxConcurrentGroups: 4, groupMinutes: 1, attempts: 1, minScored: 2 },
    ...{ filter: EQUAL_REWARDS_FILTER, judged: false, historyEvents: 100, training: null },
  };
});
afterEach(() => store.close());

const activities = () =>
  createGroupActivities({
    store,
    collect: () => Promise.reject(new Error('not asked')),
    judge: () => null,
    sampling: (run, pinned, seed) => ({ sampled: `${run}@${pinned?.path ?? 'published'}#${seed}` }),
  });
const input = (change: Partial<GroupInput> = {}): GroupInput => ({
  ...{ plan, id: 'g00000000', question: { set: 'train', at: 0 }, admittedAt: 2, samples: 2 },
  ...{ pinned: null, temperature: null, use: 'train' },
  ...change,
});
const record = (change: Partial<RecordInput> = {}, use: GroupInput['use'] = 'train'): RecordInput => ({
  group: { plan, id: 'g00000000', admittedAt: 2, use },
  ...{ questionId: 'q0', closed: 'complete', unusable: null, excluded: [] },
  rollouts: [factsWith({ sample: 0 }), factsWith({ sample: 1, reward: 0, score: 0 })],
  ...change,
});
const fateIn = async (id: string) =>
  groupDocumentSchema.parse(await store.documents.get(groupsOf('r'), id)).fate;

describe('opening a group', () => {
  test('walks through all questions in each pass, and starts the agents on the published policy', async () => {
    const { openGroup } = activities();
    const pass = async (first: number) =>
      (
        await Promise.all(
          [0, 1, 2].map((at) => openGroup(input({ question: { set: 'train', at: first + at } }))),
        )
      ).map(({ questionId }) => questionId);
    for (const first of [0, 3, 300]) expect((await pass(first)).sort()).toEqual(['q0', 'q1', 'q2']);
    const { seek, questionRef } = await openGroup(input());
    expect(questionRef).toMatch(/^ref-q/);
    expect(seek).toMatchObject({ config: 'ask', set: { answer: 'boxed', sampled: 'r@published#1234' } });
    expect(seek.set).not.toHaveProperty(['models.default.temperature', 0]);
  });

  test('of an evaluation takes the dev question at its place, pinned weights and its temperature', async () => {
    const pinned = { version: 3, path: 'tinker://m/v3', url: 'http://127.0.0.1:1' };
    const dev = { set: 'dev', at: 0 } as const;
    const opened = await activities().openGroup(input({ question: dev, pinned, temperature: 0 }));
    expect(opened.questionId).toBe('d0');
    expect(opened.seek.set).toMatchObject({
      ...{ answer: 'table', sampled: 'r@tinker://m/v3#1234', 'models.default.temperature': 0 },
    });
  });
});

describe('recording a group', () => {
  test('that can be trained on leaves it ready, with a small report', async () => {
    const report = await activities().recordGroup(record());
    expect(report).toEqual({
      ...{ id: 'g00000000', usable: true, reason: '', scored: 2, failed: 0 },
      ...{ rewardSum: 1, scoreSum: 1, tokens: 8 },
    });
    expect(await fateIn('g00000000')).toEqual({ kind: 'ready' });
    expect(await activities().groupReport('r', 'g00000000')).toEqual(report);
    expect(await activities().groupReport('r', 'g00000001')).toBeNull();
  });

  test('without signal says which', async () => {
    const report = await activities().recordGroup(record({ unusable: 'equal_rewards' }));
    expect(report).toMatchObject({ usable: false, reason: 'equal_rewards' });
    expect(await activities().groupReport('r', 'g00000000')).toEqual(report);
  });

  test('of which every rollout failed is a failure with its reasons, each once, and no reward', async () => {
    const failed = (sample: number) =>
      factsWith({
        sample,
        kind: 'failed',
        reason: 'model_outage',
        reward: null,
        score: null,
        responseTokens: 0,
      });
    const excluded = [0, 1].map((sample) => ({ sample, reason: 'failed: model_outage' }));
    const report = await activities().recordGroup(
      record({
        closed: 'all_failed',
        unusable: 'too_few_scored',
        excluded,
        rollouts: [failed(0), failed(1)],
      }),
    );
    expect(report).toMatchObject({ usable: false, reason: 'failed: model_outage', scored: 0, rewardSum: 0 });
    expect(await fateIn('g00000000')).toEqual({ kind: 'failed', reason: 'failed: model_outage' });
    // It can be read, and holds neither tokens nor rewards.
    const group = await loadGroup(store, 'r', 'g00000000');
    expect(group.rollouts.map(({ outcome, turns }) => [outcome, turns.length])).toEqual(
      [0, 1].map(() => [{ kind: 'failed', reason: 'model_outage' }, 0]),
    );
  });

  test('that its deadline left with one score says so even where nothing was excluded', async () => {
    await activities().recordGroup(
      record({ closed: 'deadline', unusable: 'too_few_scored', rollouts: [factsWith()] }),
    );
    expect(await fateIn('g00000000')).toEqual({ kind: 'failed', reason: 'deadline: 1 scored' });
  });

  test('that is only kept has no other fate, whatever it holds', async () => {
    await activities().recordGroup(record({ unusable: 'equal_rewards' }, 'keep'));
    expect(await fateIn('g00000000')).toEqual({ kind: 'kept' });
  });
});

test('a stored group comes back with its tokens, and its fate can be written over', async () => {
  const group = groupWith('g1', [1, 0]);
  await storeGroup(store, 'r', group);
  expect(await loadGroup(store, 'r', 'g1')).toEqual(group);
  for (let i = 0; i < 2; i += 1) await setFate(store, 'r', 'g1', { kind: 'trained', step: 4 });
  expect(await fateIn('g1')).toEqual({ kind: 'trained', step: 4 });
  expect(await loadGroup(store, 'r', 'g1')).toEqual(group);
  await expect(loadGroup(store, 'r', 'g2')).rejects.toThrow();
});
