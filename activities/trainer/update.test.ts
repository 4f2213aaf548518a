import { afterEach, describe, expect, test } from 'vitest';
import { optimiserSchema } from '../../configs/train-schema.ts';
import { buildBatch } from '../../domain/rl/batch.ts';
import { ENGINES } from '../../domain/rl/engine.ts';
import { lossMetrics } from '../../domain/rl/metrics.ts';
import { PRESETS, type RlPreset } from '../../domain/rl/presets.ts';
import type { Group } from '../../domain/rl/types.ts';
import { type Fault, type FakeEngine, type FakeEngineOptions, startFakeEngine } from './fake-engine.ts';
import type { ModelHandle, TrainingEngine } from './port.ts';
import { groupWith, sampledBy } from './testing.fake.ts';
import { adamOf, minibatches, runUpdate, type UpdateTask } from './update.ts';

const signal = new AbortController().signal;
const wideseek = PRESETS.wideseek;
const optimiser = optimiserSchema.parse({ gradClipNorm: 1 });
const PROBE = Int32Array.from({ length: 40 }, (_, i) => (i * 7) % 64);

let fake: FakeEngine | undefined;
afterEach(() => fake?.close());

interface Bench {
  engine: TrainingEngine;
  handle: ModelHandle;
  /** Two groups whose log-probs are those of the model's first weights. */
  groups: Group[];
  task: (change?: Partial<UpdateTask>) => UpdateTask;
  weights: () => Promise<number[]>;
}

async function begin(
  options: FakeEngineOptions = {},
  client: Parameters<FakeEngine['client']>[0] = {},
): Promise<Bench> {
  await fake?.close();
  fake = await startFakeEngine(options);
  const engine = fake.client(client);
  const handle = await engine.createModel({ baseModel: fake.baseModel, rank: 0 }, signal);
  const groups = await Promise.all(
    [groupWith('g1', [1, 0, 0.5]), groupWith('g2', [0, 1, 1])].map((group) =>
      sampledBy(group, (tokens) => engine.promptLogprobs(tokens, null, signal)),
    ),
  );
  let probes = 0;
  return {
    ...{ engine, handle, groups },
    task: (change = {}) => ({
      ...{ engine, handle, groups, algorithm: wideseek, optimiser, learningRates: [0.1], tokenBudget: 20 },
      ...{ version: 0, firstSeq: 1, reference: null, ...change },
    }),
    weights: async () => {
      const path = await engine.publish(handle, `probe-${(probes += 1)}`, signal);
      return [...(await engine.promptLogprobs(PROBE, path, signal))];
    },
  };
}

const withKl = (beta: number): RlPreset => ({
  ...wideseek,
  loss: { ...wideseek.loss, kl: { kind: 'k3', beta } },
});

describe('one step', () => {
  test('numbers its calls from the first free one, and a repetition changes nothing', async () => {
    const { task, weights } = await begin();
    const before = await weights();
    const told: string[] = [];
    const first = await runUpdate(task({ firstSeq: 5, onProgress: (phase) => told.push(phase) }), signal);
    expect(first.trained!.calls).toBeGreaterThan(1);
    // As many calls as bins, and one step of the optimiser.
    expect(first.nextSeq).toBe(5 + first.trained!.calls + 1);
    expect(told).toEqual([...Array.from({ length: first.trained!.calls }, () => 'backward'), 'optimise']);
    const after = await weights();
    expect(after).not.toEqual(before);
    const again = await runUpdate(task({ firstSeq: 5 }), signal);
    expect(again.trained).toEqual(first.trained);
    expect(await weights()).toEqual(after);
    expect(fake!.done()).toMatchObject({ forward_backward: first.trained!.calls, optim_step: 1 });
  });

  test('has ratio 1 on tokens of its own weights, and measures how far it is from those of older ones', async () => {
    const { task, engine, handle, groups } = await begin();
    const first = await runUpdate(task(), signal);
    const { sequences, denominator } = buildBatch(groups, wideseek.batch);
    const absolute = sequences
      .flatMap(({ spans }) => spans)
      .reduce((sum, { weight, advantage, length }) => sum + weight * Math.abs(advantage) * length, 0);
    expect(lossMetrics(first.trained!.loss)).toMatchObject({ 'train/actor/clip_fraction': 0 });
    expect(lossMetrics(first.trained!.loss)['train/actor/ratio_abs']).toBeCloseTo(0, 5);
    expect(lossMetrics(first.trained!.loss)['train/actor/approx_kl']).toBeCloseTo(0, 5);
    expect(first.trained!.lossesAbs[0]).toBeCloseTo(absolute / denominator, 5);
    expect(Math.abs(first.trained!.losses[0]!)).toBeLessThan(first.trained!.lossesAbs[0]!);
    // Without a KL term the objective is the engine's own loss.
    expect(first.trained!.objectives[0]).toBeCloseTo(first.trained!.losses[0]!, 5);

    // The same rollouts once more are one version old: their log-probs are those of other weights.
    const path = await engine.publish(handle, 'moved', signal);
    const logRatios: number[] = [];
    for (const { rollouts } of groups)
      for (const { turns } of rollouts)
        for (const turn of turns) {
          const whole = Int32Array.of(...turn.promptTokens, ...turn.responseTokens);
          const now = (await engine.promptLogprobs(whole, path, signal)).slice(turn.promptTokens.length - 1);
          logRatios.push(...[...now].map((value, i) => value - turn.logprobs[i]!));
        }
    const mean = (values: number[]): number => values.reduce((sum, one) => sum + one, 0) / values.length;
    const second = await runUpdate(task({ firstSeq: first.nextSeq, version: 1 }), signal);
    const metrics = lossMetrics(second.trained!.loss);
    expect(metrics['train/actor/ratio_abs']).toBeCloseTo(
      mean(logRatios.map((d) => Math.abs(Math.exp(d) - 1))),
    );
    expect(metrics['train/actor/ratio_abs']).toBeGreaterThan(0.05);
    expect(metrics['train/actor/approx_kl']).toBeCloseTo(-mean(logRatios));
    expect(second.trained!.lossesAbs[0]).not.toBeCloseTo(absolute / denominator, 3);
  });

  test('asks the reference that it was given, once for each sequence, and is held by it', async () => {
    const { task, engine, handle, weights } = await begin();
    const start = await engine.publish(handle, 'start', signal);
    const asked: (string | null)[] = [];
    const spy: TrainingEngine = {
      ...engine,
      promptLogprobs: (prompt, path, abort) => {
        asked.push(path);
        return engine.promptLogprobs(prompt, path, abort);
      },
    };
    const algorithm = withKl(1);
    const first = await runUpdate(task({ engine: spy, algorithm, reference: start }), signal);
    expect(asked).toEqual(first.batch.sequences.map(() => start));
    expect(first.trained!.loss.reduce((sum, { klSum }) => sum + klSum, 0)).toBeCloseTo(0, 5);
    expect(fake!.done().forward).toBeGreaterThan(0);
    const moved = await weights();
    // With a penalty a second step on the same data goes elsewhere than without one.
    const rest = { firstSeq: first.nextSeq, version: 1, reference: start };
    const held = await runUpdate(task({ algorithm, ...rest }), signal);
    expect(lossMetrics(held.trained!.loss)['train/actor/kl_loss']).toBeGreaterThan(0);
    const heldWeights = await weights();
    expect(heldWeights).not.toEqual(moved);
    const free = await begin();
    await runUpdate(free.task(), signal);
    await runUpdate(free.task({ ...rest, reference: null, firstSeq: 100 }), signal);
    expect(await free.weights()).not.toEqual(heldWeights);
  });

  test('asks the engine nothing where the groups hold nothing to train on', async () => {
    const { task } = await begin();
    const before = fake!.counts();
    const update = await runUpdate(task({ groups: [groupWith('g1', [1, 1, 1])], firstSeq: 3 }), signal);
    expect(update).toMatchObject({ trained: null, nextSeq: 3 });
    expect(update.batch.filtered).toEqual([{ groupId: 'g1', reason: 'equal_rewards' }]);
    expect(fake!.counts()).toEqual(before);
  });

  test('leaves out rollouts that broke, by name', async () => {
    const { task, groups } = await begin();
    const [group] = groups;
    const broken = { ...group!.rollouts[0]!, outcome: { kind: 'failed' as const, reason: 'model_outage' } };
    const rollouts = [broken, ...group!.rollouts.slice(1)];
    const update = await runUpdate(task({ groups: [{ ...group!, rollouts }] }), signal);
    expect(update.batch.excluded).toEqual([{ rolloutId: broken.id, reason: 'failed: model_outage' }]);
    expect(update.batch.sequences.map(({ rolloutId }) => rolloutId)).not.toContain(broken.id);
  });
});

describe('minibatches', () => {
  test('take whole groups in training order, each with a denominator of its own', async () => {
    const { groups } = await begin();
    const batch = buildBatch([...groups, groupWith('equal', [1, 1])], wideseek.batch);
    const parts = minibatches([...groups, groupWith('equal', [1, 1])], batch, wideseek, 2);
    expect(parts.map(({ sequences }) => [...new Set(sequences.map(({ groupId }) => groupId))])).toEqual([
      ['g1'],
      ['g2'],
    ]);
    expect(parts.map(({ denominator }) => denominator)).toEqual([3, 3]);
    expect(batch.denominator).toBe(6);
    const byHand = { ...wideseek, batch: { ...wideseek.batch, denominator: 8 } };
    expect(minibatches(groups, batch, byHand, 2).map(({ denominator }) => denominator)).toEqual([4, 4]);
  });

  test('are one optimiser step each, at its own rate; one without a group is no step', async () => {
    const { task, groups } = await begin();
    const both = await runUpdate(task({ learningRates: [0.1, 0.2] }), signal);
    expect(both.trained!.losses).toHaveLength(2);
    expect(both.trained!.optimiser.map(({ learning_rate: rate }) => rate)).toEqual([0.1, 0.2]);
    const one = task({ groups: groups.slice(0, 1), learningRates: [0.1, 0.2], firstSeq: both.nextSeq });
    expect((await runUpdate(one, signal)).trained!.losses).toHaveLength(1);
    expect(fake!.done().optim_step).toBe(3);
  });
});

test('gradient clipping is sent only to engines that clip', () => {
  expect(adamOf(optimiser, 0.5, { capabilities: ENGINES['local-jax'] })).toMatchObject({
    learningRate: 0.5,
    gradClipNorm: 1,
  });
  expect(adamOf(optimiser, 0.5, { capabilities: ENGINES.tinker })).not.toHaveProperty('gradClipNorm');
});

describe('an engine in trouble', () => {
  const transient: [string, Fault][] = [
    ['Overloaded', { call: 'forward_backward', kind: 'down' }],
    ['Overloaded', { call: 'forward_backward', kind: 'reply-lost' }],
    ['Overloaded', { call: 'optim_step', kind: 'reply-lost' }],
    ['BadReply', { call: 'forward_backward', kind: 'html' }],
    ['Timeout', { call: 'forward_backward', kind: 'slow', ms: 3_000 }],
  ];
  test.each(transient)('%s: the step fails, and repeated it is the step it was (%o)', async (type, fault) => {
    const calm = await begin();
    await runUpdate(calm.task(), signal);
    const undisturbed = await calm.weights();
    const { task, weights } = await begin({}, { deadlines: { pass: 1_500 } });
    fake!.inject(fault);
    await expect(runUpdate(task(), signal)).rejects.toMatchObject({ type, retryable: true });
    expect(fake!.faultsLeft()).toEqual([]);
    const update = await runUpdate(task(), signal);
    expect(await weights()).toEqual(undisturbed);
    expect(fake!.done()).toMatchObject({ forward_backward: update.trained!.calls, optim_step: 1 });
  });

  const final: [string, Fault, RegExp][] = [
    ['BadReply', { call: 'forward_backward', kind: 'nan' }, /log-prob NaN/],
    ['BadReply', { call: 'forward_backward', kind: 'wrong-length' }, /\d+ log-probs for the \d+ targets/],
    ['BadReply', { call: 'forward', kind: 'nan' }, /log-prob NaN/],
    ['BadReply', { call: 'forward', kind: 'wrong-length' }, /forward: \d+ log-probs for the \d+ targets/],
    ['NotFound', { call: 'forward_backward', kind: 'lost' }, /not found/i],
    ['Conflict', { call: 'forward_backward', kind: 'conflict' }, /sequence number/],
  ];
  test.each(final)('%s: no step is taken on %o', async (type, fault, message) => {
    const { task, groups } = await begin();
    fake!.inject(fault);
    const algorithm = withKl(0.1);
    const failure = runUpdate(task({ groups, algorithm }), signal);
    await expect(failure).rejects.toMatchObject({ type, message: expect.stringMatching(message) as string });
    expect(fake!.faultsLeft()).toEqual([]);
    expect(fake!.done().optim_step ?? 0).toBe(0);
  });

  test('a norm that is no number is a failure of the step', async () => {
    const { task } = await begin();
    fake!.inject({ call: 'optim_step', kind: 'nan' });
    await expect(runUpdate(task(), signal)).rejects.toMatchObject({
      type: 'BadReply',
      message: expect.stringMatching(/grad_norm is NaN/) as string,
    });
  });

  test('log-probs of another length than their targets are refused also where a client lets them pass', async () => {
    const { task, engine } = await begin();
    const careless: TrainingEngine = {
      ...engine,
      forwardBackward: async (...call) => {
        const reply = await engine.forwardBackward(...call);
        return { ...reply, logprobs: reply.logprobs.map((values) => values.slice(1)) };
      },
    };
    await expect(runUpdate(task({ engine: careless }), signal)).rejects.toMatchObject({
      type: 'BadReply',
      message: expect.stringMatching(/forward-backward: \d+ log-probs for \d+ targets/) as string,
    });
    expect(fake!.done().optim_step ?? 0).toBe(0);
  });
});
