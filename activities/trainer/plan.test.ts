import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { loadRunConfig } from '../../configs/load.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/port.ts';
import {
  planRollouts,
  planTraining,
  requireTokens,
  settingsReader,
  trainingConfig,
  trainingDocumentSchema,
} from './plan.ts';
import { TRAININGS } from './records.ts';

const miniature = await loadRunConfig('mini', {});
const sample = await loadRunConfig('ask', {});

test('a collection asks no model that leaves no tokens, and says which role has it', () => {
  expect(() => requireTokens(miniature, 'mini')).not.toThrow();
  expect(() => requireTokens(sample, 'ask')).toThrow(/"ask" the lead's model does not work on token ids/);
});

type Set = Record<string, string | number | boolean | null>;

let dir: string;
let store: Store;
let path: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'wideseek-plan-'));
  path = join(dir, 'questions.jsonl');
  const lines = [0, 1, 2].map((i) =>
    JSON.stringify({ id: `q${i}`, question: `Even or odd, ${i}?`, answer: 'odd' }),
  );
  await writeFile(path, lines.join('\n'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));
beforeEach(async () => void (store = await openStore(':memory:')));
afterEach(() => store.close());

const deps = () => ({ store, now: () => 5, env: {}, checkSearch: () => Promise.resolve() });
const own = (): Set => ({
  ...{ 'engine.kind': 'local', 'engine.name': 'local-jax', 'engine.baseModel': 'm', evalEvery: null },
  ...{
    'data.dataset.name': 'toy',
    'data.dataset.path': path,
    'data.epochs': 2,
    'policy.set': null,
    'agents.workflow': 'sa',
  },
});
const plan = (set: Set = {}, resume = false, run = 'r') =>
  planTraining(deps(), { config: 'wideseek-r1-4b', set: { ...own(), ...set }, resume }, run, `train/${run}`);
const leave = async (state: unknown): Promise<void> => {
  const known = trainingDocumentSchema.parse(await store.documents.get(TRAININGS, 'r'));
  await store.documents.put(TRAININGS, 'r', { ...known, state });
};

describe('the plan of a training', () => {
  test('is small, and its settings are stored once', async () => {
    const { plan: made, state } = await plan({ steps: 7 });
    expect(state).toBeNull();
    expect(made).toMatchObject({ runId: 'r', workflowId: 'train/r', groupSize: 8, groups: 6 });
    expect(made.training).toMatchObject({ steps: 7, evaluation: null, alternates: false });
    expect(JSON.stringify(made).length).toBeLessThan(2_000);
    const settings = await settingsReader(store)(made.settingsRef);
    expect(settings.questions.map(({ id, text }) => [id, text])).toContainEqual(['q1', 'Even or odd, 1?']);
    expect(trainingConfig(settings).steps).toBe(7);
    expect(await store.runs.get('r')).toMatchObject({ status: 'running', startedAt: 5, kind: 'train' });
    expect((await plan({ steps: 7 })).plan).toEqual(made);
  });

  test('of a run that exists is refused unless it goes on, and then finds its state', async () => {
    await plan();
    await leave({ step: 3 });
    await expect(plan()).rejects.toMatchObject({
      type: 'InvalidInput',
      message: expect.stringMatching(/r exists already/) as string,
    });
    expect(await plan({}, true)).toMatchObject({ state: { step: 3 } });
  });

  test('may change what does not change the result, and nothing else', async () => {
    await plan();
    await leave({ step: 3 });
    const free: Set = { steps: 500, keepBest: 3, checkpointEvery: 5, retries: 9, 'trainer.hostSeconds': 3 };
    await expect(plan(free, true)).resolves.toMatchObject({ state: { step: 3 } });
    const changes: Set[] = [
      { groupSize: 4 },
      { 'engine.baseModel': 'n' },
      { 'algorithm.clip.clipLow': 0.1 },
      { maxStaleness: 2 },
    ];
    for (const change of changes)
      await expect(plan(change, true)).rejects.toThrow(/run r was made with another configuration/);
  });

  test('asks for the search that the agents need before anything is stored', async () => {
    const broken = { ...deps(), checkSearch: () => Promise.reject(new Error('no index')) };
    const input = { config: 'wideseek-r1-4b', set: own() };
    await expect(planTraining(broken, input, 'r', 'train/r')).rejects.toThrow('no index');
    expect(await store.documents.get(TRAININGS, 'r')).toBeUndefined();
  });

  test.each<[RegExp, Set]>([
    [
      /optimiser\.gradClipNorm: engine skyrl-fsdp does not clip/,
      { 'engine.name': 'skyrl-fsdp', 'optimiser.gradClipNorm': 1 },
    ],
    [
      /KL with plain PPO holds for one optimiser step/,
      { 'algorithm.kl.kind': 'k3', 'algorithm.kl.beta': 0.1, minibatches: 2 },
    ],
    [/groupSize/, { groupSize: 1 }],
    [/maxStaleness: is above 0/, { deterministic: true, maxStaleness: 1 }],
  ])('refuses %s', async (message, set) => {
    await expect(plan(set)).rejects.toThrow(message);
    expect(await store.documents.get(TRAININGS, 'r')).toBeUndefined();
  });

  test('refuses on an engine that samples one version at a time what would sample two', async () => {
    const skyrl = { 'engine.name': 'skyrl-jax', 'engine.kind': 'wire' };
    expect((await plan(skyrl)).plan.training).toMatchObject({ maxStaleness: 0, alternates: true });
    const kl = { 'algorithm.kl.kind': 'k3', 'algorithm.kl.beta': 0.1 };
    await expect(plan({ ...skyrl, ...kl }, false, 'kl')).resolves.toBeDefined();
    const cases: [RegExp, Set][] = [
      [/^maxStaleness: .*skyrl-jax cannot sample one version.*Set it to 0/, { maxStaleness: 1 }],
      [/^batchMinutes: .*skyrl-jax/, { batchMinutes: 5 }],
      [/^algorithm\.kl: .*skyrl-jax/, { ...kl, 'engine.init': 'tinker://m/weights/c' }],
    ];
    for (const [message, set] of cases)
      await expect(plan({ ...skyrl, ...set }, false, 'other')).rejects.toMatchObject({
        type: 'ConfigError',
        message: expect.stringMatching(message) as string,
      });
  });
});

test('a collection has no training, and as many groups as were asked for and there are', async () => {
  const set = { ...own(), from: 'train-x' };
  const without = ['engine.kind', 'engine.name', 'engine.baseModel', 'evalEvery'];
  const rest: Set = Object.fromEntries(Object.entries(set).filter(([key]) => !without.includes(key)));
  const collect = (groups: number, run: string) =>
    planRollouts(deps(), { config: 'collect', set: { ...rest, groups } }, run, `rollout/${run}`);
  const { plan: made } = await collect(4, 'a');
  expect(made).toMatchObject({ training: null, groups: 4 });
  expect((await collect(100, 'b')).plan.groups).toBe(6);
  const settings = await settingsReader(store)(made.settingsRef);
  expect(() => trainingConfig(settings)).toThrow(/collects and does not train/);
});

test('settings that cannot be read are an error each time, not only the first', async () => {
  const ref = await store.put('{"config": {}}');
  const read = settingsReader(store);
  for (let i = 0; i < 2; i += 1) await expect(read(ref)).rejects.toThrow();
});
