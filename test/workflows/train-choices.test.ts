import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  type FakeEngine,
  type FakeEngineOptions,
  type SampleScript,
  startFakeEngine,
} from '../../activities/trainer/fake-engine.ts';
import { readCheckpoints } from '../../activities/trainer/live-model.ts';
import type { TrainingEngine } from '../../activities/trainer/port.ts';
import { ENGINES } from '../../domain/rl/engine.ts';
import { startTestServer, type TestServer } from '../support/engine.ts';
import {
  failureOf,
  fatesIn,
  outcomeOf,
  progressOf,
  startTraining,
  stepsIn,
} from '../support/training-run.ts';
import { startTrainingWorld, type TrainingWorld } from '../support/training.ts';

const signal = (): AbortSignal => AbortSignal.timeout(60_000);

describe('what a training is told to do besides steps', { timeout: 240_000 }, () => {
  let server: TestServer;
  let engine: FakeEngine;
  let world: TrainingWorld;
  /** Whose log-probs the trainer asked for as a reference. */
  let references: Set<string | null>;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterEach(async () => {
    await world.stop();
    await engine.close();
  });
  afterAll(() => server.stop());

  const boot = async (script?: SampleScript, options: FakeEngineOptions = {}): Promise<void> => {
    engine = await startFakeEngine({ script, ...options });
    references = new Set();
    const client = (): TrainingEngine => {
      const real = engine.client();
      return {
        ...real,
        promptLogprobs: (prompt, path, abort) => {
          references.add(path);
          return real.promptLogprobs(prompt, path, abort);
        },
      };
    };
    world = await startTrainingWorld(server.address, { ...engine, client });
    await world.workers({ rollouts: true, host: 'a' });
  };
  const start = (run: string, set: Record<string, unknown>) => startTraining(server.client, world, run, set);
  const checkpointsIn = (run: string) => readCheckpoints(world.store, run);
  const KL = { 'algorithm.kl.kind': 'k3', 'algorithm.kl.beta': 0.05 };
  const klOf = async (run: string): Promise<number[]> =>
    (await stepsIn(world.store, run)).map(({ metrics }) => metrics['train/actor/kl_loss']!);

  it('holds the policy to a reference: the base model, or the weights that the run started from', async () => {
    await boot();
    expect(await outcomeOf(await start('to-base', { ...KL, steps: 3 }))).toMatchObject({ steps: 3 });
    expect(references).toEqual(new Set([null]));
    const [first, ...later] = await klOf('train-to-base');
    expect(Math.abs(first!)).toBeLessThan(1e-6);
    for (const kl of later) expect(kl).toBeGreaterThan(1e-4);
    // One forward pass of each step gives the log-probs that the penalty's slope is taken at.
    expect(engine.done().forward).toBe(3);
    const moved = (await checkpointsIn('train-to-base')).at(-1)!;

    references.clear();
    await outcomeOf(await start('to-start', { ...KL, 'engine.init': moved.path, steps: 2 }));
    const [beginning] = await checkpointsIn('train-to-start');
    expect(references).toEqual(new Set([beginning!.snapshot]));
    const [atStart, afterStep] = await klOf('train-to-start');
    expect(Math.abs(atStart!)).toBeLessThan(1e-6);
    expect(afterStep).toBeGreaterThan(1e-4);
  });

  it('asks for no reference where there is no KL term', async () => {
    await boot();
    await outcomeOf(await start('free', { steps: 1 }));
    expect(references.size).toBe(0);
    const [{ metrics } = { metrics: {} as Record<string, number> }] = await stepsIn(
      world.store,
      'train-free',
    );
    const time = (name: string): number => metrics[`time/${name}`]!;
    expect(time('sync_weights')).toBeGreaterThan(0);
    expect(time('step')).toBeCloseTo(time('rollout') + time('training') + time('sync_weights'), 9);
    expect(metrics['train/actor/policy_loss_abs']).toBeGreaterThan(0);
    expect(engine.done().forward ?? 0).toBe(0);
  });

  it('refuses a KL term that the engine would carry out wrongly, before the first rollout', async () => {
    await boot();
    expect(await failureOf(await start('two-parts', { ...KL, minibatches: 2 }))).toMatch(
      /local-jax: KL with plain PPO holds for one optimiser step/,
    );
    expect(engine.counts()).toEqual({});
  });

  it('alternates strictly on an engine that damages its weights where versions mix, and refuses to mix them', async () => {
    await boot(undefined, { capabilities: ENGINES['skyrl-jax'] });
    const skyrl = { 'engine.kind': 'wire', 'engine.name': 'skyrl-jax' };
    expect(await failureOf(await start('mixed', { ...skyrl, maxStaleness: 1 }))).toMatch(
      /maxStaleness: .* engine skyrl-jax cannot sample one version of a model while it trains another/,
    );
    const handle = await start('alternating', { ...skyrl, steps: 4, evalEvery: 1, checkpointEvery: 1 });
    await expect.poll(() => progressOf(handle).then(Boolean), { timeout: 90_000 }).toBe(true);
    await expect(handle.executeUpdate('closeBatchNow')).rejects.toMatchObject({
      cause: { message: expect.stringMatching(/cannot sample while it trains/) as string },
    });
    expect(await outcomeOf(handle)).toMatchObject({ steps: 4 });
    // What was sampled are the weights that were trained: no step moved them behind the sampler's back.
    for (const { metrics } of await stepsIn(world.store, 'train-alternating'))
      expect(metrics['train/actor/ratio_abs']).toBeLessThan(1e-5);
  });

  it('keeps the checkpoint with the best dev score and the newest, and deletes the others', async () => {
    // The dev answers are right as often as this, by the version that gives them; training samples from the policy.
    const right = [0, 0.5, 1, 0.25, 0.75, 0];
    const asked = right.map(() => 0);
    await boot(({ path, temperature }) => {
      if (temperature === 1) return undefined;
      const version = Number(/v(\d+)$/.exec(path ?? '')![1]);
      const at = asked[version]!++;
      return { tokens: Int32Array.of((at % 4) / 4 < right[version]! ? 8 : 9, 3) };
    });
    const set = { steps: 5, checkpointEvery: 1, evalEvery: 1, keepLast: 1, keepBest: 1 };
    const dev = { 'evaluation.temperature': 0.5, 'evaluation.greedy': false };
    expect(await outcomeOf(await start('best', { ...set, ...dev }))).toMatchObject({
      dev: { step: 5, score: 0, unscored: 0 },
    });
    const all = await checkpointsIn('train-best');
    expect(all.map(({ score }) => score)).toEqual([null, ...right.slice(1)]);
    expect(all.filter(({ kept }) => kept).map(({ step }) => step)).toEqual([0, 2, 5]);
    const load = (path: string) =>
      engine.client().createModel({ baseModel: engine.baseModel, rank: 0, restore: path }, signal());
    for (const { path, kept } of all) {
      if (kept) await expect(load(path)).resolves.toMatchObject({ modelId: expect.any(String) as string });
      else await expect(load(path)).rejects.toThrow(/not found/i);
    }
  });

  it('takes no step on groups that teach nothing, and ends with that diagnosis', async () => {
    await boot(() => ({ tokens: Int32Array.of(8, 3) }));
    const failure = await failureOf(await start('equal', { barrenGroups: 5 }));
    // Groups that ended while the last ones were looked at count too.
    const said = /(\d+) groups in a row taught nothing; the last one: g\d+: equal_rewards/.exec(failure);
    expect(Number(said?.[1])).toBeGreaterThanOrEqual(5);
    const fates = [...(await fatesIn(world.store, 'train-equal')).values()];
    const filtered = fates.filter(({ kind }) => kind === 'filtered');
    expect(filtered.length).toBeGreaterThanOrEqual(5);
    for (const fate of filtered) expect(fate).toEqual({ kind: 'filtered', reason: 'equal_rewards' });
    expect(fates.some(({ kind }) => kind === 'ready' || kind === 'trained')).toBe(false);
    expect(engine.done().optim_step ?? 0).toBe(0);
    expect(await stepsIn(world.store, 'train-equal')).toEqual([]);
  });
});
