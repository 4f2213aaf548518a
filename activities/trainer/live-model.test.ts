import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WideseekError } from '../../domain/errors.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/port.ts';
import { type FakeEngine, startFakeEngine } from './fake-engine.ts';
import {
  isGone,
  liveModel,
  type LiveModelOptions,
  publishModel,
  readCheckpoints,
  readTrainer,
  saveCheckpoint,
  withLiveModel,
} from './live-model.ts';
import { readPolicy } from './policy.ts';
import type { AdamParams, ForwardBackward, ModelHandle, TrainingEngine } from './port.ts';

const signal = new AbortController().signal;
const PROBE = Int32Array.from({ length: 40 }, (_, i) => (i * 7) % 64);
const adam: AdamParams = { learningRate: 0.1, beta1: 0.9, beta2: 0.999, eps: 1e-8, weightDecay: 0 };

/** What step `step` teaches: another pair of tokens each. */
const lesson = (step: number): ForwardBackward => ({
  lossFn: 'cross_entropy',
  lossFnConfig: {},
  data: [
    {
      ...{ tokens: Int32Array.of(5, 6 + step), targets: Int32Array.of(6 + step, 7) },
      ...{ weights: Float32Array.of(1, 1), logprobs: new Float32Array(2), advantages: new Float32Array(2) },
    },
  ],
});

let fake: FakeEngine;
let store: Store;
let engine: TrainingEngine;
/** Steps that were applied, repeated ones too. */
let applied: number[];
let kept: (ModelHandle | null)[];
beforeEach(async () => {
  fake = await startFakeEngine();
  engine = fake.client();
  store = await openStore(':memory:');
  [applied, kept] = [[], []];
});
afterEach(async () => {
  await store.close();
  await fake.close();
});

const options = (run = 'r', change: Partial<LiveModelOptions> = {}): LiveModelOptions => ({
  ...{ store, run, seed: 1, signal, access: { engine, url: fake.url } },
  config: { kind: 'local', name: 'local-jax', baseModel: fake.baseModel, rank: 0 },
  apply: async (step, handle, firstSeq) => {
    applied.push(step);
    await engine.forwardBackward(handle, firstSeq, lesson(step), signal);
    await engine.optimStep(handle, firstSeq + 1, adam, signal);
    return { nextSeq: firstSeq + 2 };
  },
  keepAlive: (handle) => kept.push(handle),
  ...change,
});

/** Brings a run to `target`, publishes and saves, as a trainer does. */
const bring = (target: number, change: Partial<LiveModelOptions> = {}, run = 'r') => {
  const given = options(run, change);
  return withLiveModel(given, target, async (live) => {
    const snapshot = await publishModel(given, live);
    await saveCheckpoint(given, live, snapshot);
    return snapshot;
  });
};
const weights = async (path: string): Promise<number[]> => [
  ...(await engine.promptLogprobs(PROBE, path, signal)),
];
/** The weights of a run that nothing happened to. */
const undisturbed = async (target: number): Promise<number[]> =>
  weights((await bring(target, {}, 'calm')).result);

describe('a model that lives', () => {
  test('takes the steps that are missing, and no step twice', async () => {
    await bring(0);
    await bring(2);
    await bring(2);
    const { model } = await bring(3);
    expect(applied).toEqual([0, 1, 2]);
    expect(model).toMatchObject({ restored: false, record: { applied: 3, nextSeq: 7 } });
    expect(fake.done()).toMatchObject({ optim_step: 3 });
    expect(kept.every((handle) => handle?.modelId === model.handle.modelId)).toBe(true);
  });

  test('is asked again under the same numbers when a reply was lost', async () => {
    await bring(1);
    fake.inject({ call: 'optim_step', kind: 'reply-lost' });
    await expect(bring(2)).rejects.toMatchObject({ type: 'Overloaded' });
    expect(await readTrainer(store, 'r')).toMatchObject({ applied: 1, nextSeq: 3 });
    const { result } = await bring(2);
    expect(fake.done().optim_step).toBe(2);
    expect(await weights(result)).toEqual(await undisturbed(2));
  });

  test('is published once as the version of its steps', async () => {
    const { result } = await bring(1);
    await bring(1);
    expect(result).toMatch(/\/v00000001$/);
    expect(await readPolicy(store.documents, 'r')).toEqual({ version: 1, path: result, url: fake.url });
    expect(fake.done().save_weights_for_sampler).toBe(1);
  });

  test('a publication that was cut off is published with the next attempt', async () => {
    await bring(0);
    fake.inject({ call: 'save_weights_for_sampler', kind: 'reply-lost' });
    await expect(bring(1)).rejects.toMatchObject({ type: 'Overloaded' });
    expect(await readPolicy(store.documents, 'r')).toMatchObject({ version: 0 });
    const { result } = await bring(1);
    expect(await readPolicy(store.documents, 'r')).toMatchObject({ version: 1, path: result });
    expect(await weights(result)).toEqual(await undisturbed(1));
  });
});

describe('a model that is lost', () => {
  test('comes back from its last checkpoint, and the steps since then are repeated', async () => {
    await bring(2);
    const given = options();
    await withLiveModel(given, 4, (live) => publishModel(given, live));
    fake.restart();
    applied = [];
    const { model, result } = await bring(5);
    expect(applied).toEqual([2, 3, 4]);
    expect(model.restored).toBe(true);
    expect(fake.counts().load_weights).toBe(1);
    expect(await weights(result)).toEqual(await undisturbed(5));
  });

  test('comes back from an older checkpoint where the last one is gone, and from its beginning where all are', async () => {
    await bring(1);
    await bring(2);
    const lose = async (step: number): Promise<void> => {
      const saved = (await readCheckpoints(store, 'r')).find((one) => one.step === step);
      await engine.remove!(saved!.path, signal);
      fake.restart();
      applied = [];
    };
    await lose(2);
    const older = await bring(3);
    expect(applied).toEqual([1, 2]);
    expect(await weights(older.result)).toEqual(await undisturbed(3));

    await lose(3);
    await lose(1);
    const first = await bring(3);
    expect(applied).toEqual([0, 1, 2]);
    expect(await weights(first.result)).toEqual(await undisturbed(3));
  });

  test('in the middle of a step, costs that step and nothing else', async () => {
    await bring(1);
    fake.inject({ call: 'optim_step', kind: 'lost' });
    const { result } = await bring(2);
    expect(applied).toEqual([0, 1, 1]);
    expect(await weights(result)).toEqual(await undisturbed(2));
  });

  test('again and again, is given up in the end', async () => {
    await bring(0);
    fake.inject({ call: 'optim_step', kind: 'lost', times: 100 });
    const failure: unknown = await bring(1).catch((error: unknown) => error);
    expect(isGone(failure)).toBe(true);
    expect(applied).toHaveLength(6);
  });

  test('is made anew where the record says another engine, or more steps than are wanted', async () => {
    await bring(2);
    const moved = { access: { engine, url: 'http://127.0.0.1:2' } };
    expect((await bring(2, moved)).model.restored).toBe(true);
    expect(applied).toEqual([0, 1]);
    const back = options('r', moved);
    const { model, result } = await withLiveModel(back, 1, (live) => publishModel(back, live));
    expect(model).toMatchObject({ restored: true, record: { applied: 1 } });
    expect(await weights(result)).toEqual(await undisturbed(1));
  });

  test('starts from the given checkpoint only as long as it has none of its own', async () => {
    const { result: first } = await bring(2, {}, 'first');
    const [saved] = await readCheckpoints(store, 'first');
    const config = { ...options().config, init: saved!.path };
    const { result } = await bring(0, { config }, 'second');
    expect(await weights(result)).toEqual(await weights(first));
    applied = [];
    await bring(1, { config }, 'second');
    fake.restart();
    await bring(2, { config }, 'second');
    expect(applied).toEqual([0, 1]);
  });
});

describe('an engine in trouble', () => {
  test('a model whose replies cannot be used is given up at the third, and the next one ends the attempts', async () => {
    await bring(1);
    fake.inject({ call: 'forward_backward', kind: 'nan' });
    for (let attempt = 0; attempt < 3; attempt += 1)
      await expect(bring(2)).rejects.toMatchObject({ type: 'BadReply' });
    // The sequence number has its reply: only another model can have another one.
    expect(fake.done().forward_backward).toBe(2);
    const { model, result } = await bring(2);
    expect(model).toMatchObject({ restored: true, record: { badReplies: 0 } });
    expect(await weights(result)).toEqual(await undisturbed(2));

    for (let models = 0; models < 2; models += 1) {
      fake.inject({ call: 'forward_backward', kind: 'nan' });
      for (const attempt of [1, 2, 3])
        await expect(bring(3)).rejects.toMatchObject({
          type: models === 1 && attempt === 3 ? 'Internal' : 'BadReply',
          message: expect.stringMatching(/NaN/) as string,
        });
    }
  });

  test('a full disk leaves no checkpoint that is not there, and the next attempt writes it', async () => {
    await bring(0);
    fake.inject({ call: 'save_weights', kind: 'disk-full' });
    await expect(bring(1)).rejects.toMatchObject({ type: 'StorageFull', retryable: true });
    expect((await readCheckpoints(store, 'r')).map(({ step }) => step)).toEqual([0]);
    // The step itself was taken, and what is published is not taken back.
    expect(await readTrainer(store, 'r')).toMatchObject({ applied: 1 });
    await bring(1);
    const [, saved] = await readCheckpoints(store, 'r');
    fake.restart();
    applied = [];
    const { result } = await bring(2);
    expect(applied).toEqual([1]);
    expect(saved!.step).toBe(1);
    expect(await weights(result)).toEqual(await undisturbed(2));
  });

  test('an engine that is down is not taken for one that lost the model', async () => {
    await bring(1);
    fake.inject({ call: 'session_heartbeat', kind: 'down' });
    await expect(bring(2)).rejects.toMatchObject({ type: 'Overloaded' });
    expect((await bring(2)).model.restored).toBe(false);
    expect(applied).toEqual([0, 1]);
  });

  test('an engine that serves other weights than were configured is refused, and no model is recorded', async () => {
    const config = { ...options().config, baseModel: 'other' };
    await expect(bring(0, { config })).rejects.toMatchObject({
      type: 'InvalidInput',
      message: expect.stringMatching(/serves fake-model, not other/) as string,
    });
    expect(await readTrainer(store, 'r')).toBeNull();
  });

  test('a checkpoint that the engine does not have ends in an error, not in a fresh model', async () => {
    const config = { ...options().config, init: 'tinker://nobody/weights/step-1' };
    await expect(bring(0, { config })).rejects.toBeInstanceOf(WideseekError);
    expect(await readTrainer(store, 'r')).toBeNull();
    expect(await readPolicy(store.documents, 'r')).toBeUndefined();
  });
});

test('of one step there is one checkpoint, and one that was deleted is written again', async () => {
  await bring(1);
  await liveModel(options(), 1);
  await bring(1);
  expect(fake.done().save_weights).toBe(1);
  expect(await readCheckpoints(store, 'r')).toEqual([
    expect.objectContaining({ step: 1, score: null, kept: true, url: fake.url }),
  ]);
});
