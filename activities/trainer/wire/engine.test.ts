import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ENGINES } from '../../../domain/rl/engine.ts';
import type { Datum } from '../../../domain/rl/datum.ts';
import { type FakeEngine, type FakeEngineOptions, startFakeEngine } from '../fake-engine.ts';
import type { AdamParams, ForwardBackward, ModelHandle, SampleRequest, TrainingEngine } from '../port.ts';

const signal = new AbortController().signal;
const adam: AdamParams = { learningRate: 0.1, beta1: 0.9, beta2: 0.95, eps: 1e-8, weightDecay: 0 };
const request: SampleRequest = {
  prompt: Int32Array.of(1, 2, 3),
  path: null,
  maxTokens: 12,
  temperature: 1,
  seed: 7,
  stop: [],
};

function datum(tokens: number[]): Datum {
  const length = tokens.length - 1;
  return {
    tokens: Int32Array.from(tokens.slice(0, -1)),
    targets: Int32Array.from(tokens.slice(1)),
    weights: new Float32Array(length).fill(1),
    logprobs: new Float32Array(length),
    advantages: new Float32Array(length).fill(1),
  };
}
const learn: ForwardBackward = {
  lossFn: 'cross_entropy',
  lossFnConfig: {},
  data: [datum([5, 6, 7, 8]), datum([9, 3])],
};

let fake: FakeEngine;
let engine: TrainingEngine;
let handle: ModelHandle;

async function begin(options: FakeEngineOptions = {}): Promise<void> {
  fake = await startFakeEngine(options);
  engine = fake.client();
  handle = await engine.createModel({ baseModel: fake.baseModel, rank: 4 }, signal);
}
beforeEach(() => begin());
afterEach(() => fake.close());

describe('the plain course', () => {
  test('a session, a model, steps, a published snapshot that was learnt, an unload', async () => {
    await engine.ready(signal);
    await engine.heartbeat(handle, signal);
    const [before] = await engine.forward(handle, 1, learn.data, signal);
    const pass = await engine.forwardBackward(handle, 2, learn, signal);
    expect(pass.logprobs[0]).toEqual(before);
    const expected = -[...pass.logprobs].flatMap((values) => [...values]).reduce((a, b) => a + b, 0);
    expect(pass.loss).toBeCloseTo(expected, 4);
    const metrics = await engine.optimStep(handle, 3, adam, signal);
    expect(metrics.grad_norm).toBeGreaterThan(0);
    const path = await engine.publish(handle, 'v1', signal);
    expect(path).toBe(`tinker://${handle.modelId}/v1`);
    const [after] = await engine.forward(handle, 4, learn.data, signal);
    expect(after?.[0]).toBeGreaterThan(before?.[0] ?? 0);
    const published = await engine.promptLogprobs(Int32Array.of(5, 6, 7, 8), path, signal);
    expect([...published]).toEqual([...(after ?? [])]);
    await engine.unload(handle, signal);
    await expect(engine.heartbeat(handle, signal)).rejects.toMatchObject({ type: 'NotFound' });
  });

  test('a sample has log-probs of its tokens, the same seed gives it again', async () => {
    const first = await engine.sample(request, signal);
    expect(first.tokens).toHaveLength(12);
    expect(first.stopReason).toBe('length');
    expect(await engine.sample(request, signal)).toEqual(first);
    const whole = Int32Array.of(...request.prompt, ...first.tokens);
    const prompt = await engine.promptLogprobs(whole, null, signal);
    expect(prompt.subarray(2)).toEqual(first.logprobs);
    const stop = first.tokens[4] ?? -1;
    const stopped = await engine.sample({ ...request, stop: [stop] }, signal);
    expect(stopped.stopReason).toBe('stop');
    expect(stopped.tokens.at(-1)).toBe(stop);
    expect(stopped.tokens).toHaveLength(first.tokens.indexOf(stop) + 1);
  });

  test('a model is restored from a checkpoint with its optimiser state', async () => {
    await engine.forwardBackward(handle, 1, learn, signal);
    await engine.optimStep(handle, 2, adam, signal);
    const restore = await engine.saveWeights(handle, 'c1', signal);
    expect(restore).toBe(`tinker://${handle.modelId}/weights/c1`);
    const other = await engine.createModel({ baseModel: fake.baseModel, rank: 4, restore }, signal);
    for (const model of [handle, other]) {
      await engine.forwardBackward(model, 3, learn, signal);
      await engine.optimStep(model, 4, adam, signal);
    }
    expect(await engine.forward(other, 5, learn.data, signal)).toEqual(
      await engine.forward(handle, 5, learn.data, signal),
    );
  });

  test('a pending future is asked for again', async () => {
    await fake.close();
    await begin({ longPollMs: 20, latency: { pass: 1_500 } });
    const before = fake.counts().retrieve_future!;
    await engine.forwardBackward(handle, 1, learn, signal);
    expect(fake.counts().retrieve_future! - before).toBeGreaterThan(1);
  });
});

describe('repeated calls', () => {
  test('a sequence number used again with the same body does the work once', async () => {
    const first = await engine.forwardBackward(handle, 1, learn, signal);
    expect(await engine.forwardBackward(handle, 1, learn, signal)).toEqual(first);
    await engine.optimStep(handle, 2, adam, signal);
    await engine.optimStep(handle, 2, adam, signal);
    expect(fake.done()).toMatchObject({ forward_backward: 1, optim_step: 1 });
  });

  test.each(['forward_backward', 'optim_step'])('a lost reply of %s is had by asking again', async (call) => {
    fake.inject({ call, kind: 'reply-lost' });
    const act = (): Promise<unknown> =>
      call === 'optim_step'
        ? engine.optimStep(handle, 1, adam, signal)
        : engine.forwardBackward(handle, 1, learn, signal);
    await expect(act()).rejects.toMatchObject({ type: 'Overloaded', retryable: true });
    await act();
    expect(fake.done()[call]).toBe(1);
  });

  test('a sequence number used with another body is a conflict', async () => {
    await engine.forwardBackward(handle, 1, learn, signal);
    await expect(engine.optimStep(handle, 1, adam, signal)).rejects.toMatchObject({
      type: 'Conflict',
      retryable: false,
    });
  });

  test('a checkpoint or snapshot that exists is taken as done', async () => {
    const path = await engine.saveWeights(handle, 'c1', signal);
    expect(await engine.saveWeights(handle, 'c1', signal)).toBe(path);
    const snapshot = await engine.publish(handle, 'c1', signal);
    expect(await engine.publish(handle, 'c1', signal)).toBe(snapshot);
    expect(fake.done()).toMatchObject({ save_weights: 1, save_weights_for_sampler: 1 });
  });

  test('a save that is still being written is waited for', async () => {
    await fake.close();
    await begin({ latency: { save: 300 } });
    const paths = await Promise.all([
      engine.saveWeights(handle, 'c1', signal),
      engine.saveWeights(handle, 'c1', signal),
    ]);
    expect(paths[0]).toBe(paths[1]);
    await engine.createModel({ baseModel: fake.baseModel, rank: 4, restore: paths[0] }, signal);
  });

  test('a full disk is StorageFull, and the same name works once there is room', async () => {
    fake.inject({ call: 'save_weights', kind: 'disk-full' });
    await expect(engine.saveWeights(handle, 'c1', signal)).rejects.toMatchObject({
      type: 'StorageFull',
      retryable: true,
    });
    const restore = await engine.saveWeights(handle, 'c1', signal);
    await engine.createModel({ baseModel: fake.baseModel, rank: 4, restore }, signal);
  });
});

describe('an engine in trouble', () => {
  const act = (): Promise<unknown> => engine.forwardBackward(handle, 1, learn, signal);

  test('down is Overloaded', async () => {
    fake.inject({ call: 'forward_backward', kind: 'down' });
    await expect(act()).rejects.toMatchObject({ type: 'Overloaded' });
    await fake.close();
    await expect(act()).rejects.toMatchObject({ type: 'Overloaded' });
  });

  test('slow is Timeout', async () => {
    fake.inject({ call: 'forward_backward', kind: 'slow', ms: 2_000 });
    const hasty = fake.client({ deadlines: { pass: 100 } });
    await expect(hasty.forwardBackward(handle, 1, learn, signal)).rejects.toMatchObject({
      type: 'Timeout',
    });
  });

  test.each(['forward_backward', 'retrieve_future'])('a page instead of %s is BadReply', async (call) => {
    fake.inject({ call, kind: 'html' });
    await expect(act()).rejects.toMatchObject({
      type: 'BadReply',
      message: expect.stringContaining('HTML') as string,
    });
  });

  test('log-probs that are no numbers are BadReply', async () => {
    fake.inject({ call: 'forward_backward', kind: 'nan' });
    await expect(act()).rejects.toMatchObject({
      type: 'BadReply',
      message: expect.stringContaining('log-prob NaN at position 0') as string,
    });
    fake.inject({ call: 'asample', kind: 'nan' });
    await expect(engine.sample(request, signal)).rejects.toMatchObject({ type: 'BadReply' });
    fake.inject({ call: 'optim_step', kind: 'nan' });
    await expect(engine.optimStep(handle, 2, adam, signal)).rejects.toMatchObject({
      type: 'BadReply',
      message: expect.stringContaining('grad_norm is NaN') as string,
    });
  });

  test('a wrong number of log-probs is BadReply', async () => {
    fake.inject({ call: 'forward_backward', kind: 'wrong-length' });
    await expect(act()).rejects.toMatchObject({
      type: 'BadReply',
      message: expect.stringContaining('2 log-probs for the 3 targets of datum 0') as string,
    });
    fake.inject({ call: 'asample', kind: 'wrong-length' });
    await expect(engine.sample(request, signal)).rejects.toMatchObject({
      type: 'BadReply',
      message: expect.stringContaining('11 log-probs for 12 tokens') as string,
    });
  });

  test('a lost model is NotFound, and its checkpoint still loads', async () => {
    const restore = await engine.saveWeights(handle, 'c1', signal);
    fake.inject({ call: 'forward_backward', kind: 'lost' });
    await expect(act()).rejects.toMatchObject({ type: 'NotFound', retryable: false });
    handle = await engine.createModel({ baseModel: fake.baseModel, rank: 4, restore }, signal);
    await act();
  });

  test('a future that failed because the model is gone is NotFound', async () => {
    const message = 'Model model_1 not loaded (likely stale request from previous server)';
    fake.inject({ call: 'forward_backward', kind: 'fail', message });
    await expect(act()).rejects.toMatchObject({ type: 'NotFound' });
  });

  test('a restart during the work is Overloaded, after it NotFound', async () => {
    await fake.close();
    await begin({ longPollMs: 30, latency: { pass: 2_000 } });
    const polls = (): number => fake.counts().retrieve_future ?? 0;
    const before = polls();
    const ended = expect(act()).rejects.toMatchObject({ type: 'Overloaded', retryable: true });
    await expect.poll(polls, { interval: 5, timeout: 10_000 }).toBeGreaterThan(before);
    fake.restart();
    await ended;
    await expect(act()).rejects.toMatchObject({ type: 'NotFound' });
  });

  test.each([
    [401, 'Unauthorized'],
    [429, 'RateLimited'],
    [500, 'Overloaded'],
    [503, 'Overloaded'],
    [422, 'BadRequest'],
    [507, 'StorageFull'],
  ])('status %i is %s', async (status, type) => {
    fake.inject({ call: 'forward_backward', kind: 'status', status });
    await expect(act()).rejects.toMatchObject({ type });
  });

  test('the wrong address is a BadRequest that says so', async () => {
    const lost = fake.client({ baseUrl: `${fake.url}/elsewhere` });
    await expect(lost.sample(request, signal)).rejects.toMatchObject({
      type: 'BadRequest',
      message: expect.stringContaining("engine's address") as string,
    });
  });

  test('cancellation throws the signal’s own reason', async () => {
    fake.inject({ call: 'asample', kind: 'slow', ms: 2_000 });
    const controller = new AbortController();
    const sampling = engine.sample(request, controller.signal);
    setTimeout(() => controller.abort(new Error('stop now')), 50);
    await expect(sampling).rejects.toThrow('stop now');
  });

  test('readiness waits for an engine that is not up', async () => {
    fake.inject({ call: 'get_server_capabilities', kind: 'down', times: 1 });
    await engine.ready(signal);
    expect(fake.faultsLeft()).toEqual([]);
  });
});

describe('what servers accept in silence is refused here', () => {
  const short = { ...datum([1, 2, 3]), advantages: Float32Array.of(1) };
  const infinite = { ...datum([1, 2, 3]), logprobs: Float32Array.of(0, -Infinity) };
  test.each([
    ['short advantages', [short], 'data[0].advantages: 1 values for 2 tokens'],
    ['infinite log-probs', [infinite], 'data[0].logprobs[1]: -Infinity is not finite'],
    ['a negative id', [datum([1, -1, 3])], 'data[0].tokens[1]: token id -1'],
    ['an id past the vocabulary', [datum([1, 2, 64])], 'data[0].targets[1]: token id 64'],
    ['no data', [], 'data: there is no datum'],
    ['no loss token', [{ ...datum([1, 2]), weights: Float32Array.of(0) }], 'data[0].weights: all are 0'],
  ])('%s', async (_name, data, message) => {
    const before = fake.counts();
    await expect(
      engine.forwardBackward(handle, 1, { ...learn, lossFn: 'ppo', data }, signal),
    ).rejects.toMatchObject({ type: 'InvalidInput', message: expect.stringContaining(message) as string });
    expect(fake.counts()).toEqual(before);
  });

  test('an unknown base model', async () => {
    await expect(engine.createModel({ baseModel: 'other', rank: 4 }, signal)).rejects.toMatchObject({
      type: 'InvalidInput',
      message: expect.stringContaining('fake-model') as string,
    });
  });

  test.each([
    [{ seed: 2 ** 31 }, 'seed'],
    [{ maxTokens: 0 }, 'maxTokens'],
    [{ temperature: NaN }, 'temperature'],
    [{ prompt: new Int32Array() }, 'prompt'],
    [{ stop: [99] }, 'stop[0]'],
    [{ topP: 0 }, 'topP'],
  ])('sampling with %j', async (change, field) => {
    await expect(engine.sample({ ...request, ...change }, signal)).rejects.toMatchObject({
      type: 'InvalidInput',
      message: expect.stringContaining(field) as string,
    });
  });

  test('sequence number 0, a learning rate that is no number, a name with a slash', async () => {
    const bad = { type: 'InvalidInput' };
    await expect(engine.optimStep(handle, 0, adam, signal)).rejects.toMatchObject(bad);
    await expect(engine.optimStep(handle, 1, { ...adam, learningRate: NaN }, signal)).rejects.toMatchObject(
      bad,
    );
    await expect(engine.saveWeights(handle, '../x', signal)).rejects.toMatchObject(bad);
  });
});

describe('capabilities', () => {
  test('an engine that says something else of itself is a ConfigError', async () => {
    const wrong = fake.client({ capabilities: ENGINES['skyrl-jax'] });
    await expect(wrong.ready(signal)).rejects.toMatchObject({
      type: 'ConfigError',
      message: expect.stringContaining('reduction is sum, but skyrl-jax has mean-of-means') as string,
    });
  });

  test('the norm clip is sent only where it is obeyed', async () => {
    const clipped = { ...adam, learningRate: 1, eps: 1, beta1: 0, beta2: 0, gradClipNorm: 1e-6 };
    const [before] = await engine.forward(handle, 1, learn.data, signal);
    await engine.forwardBackward(handle, 2, learn, signal);
    await engine.optimStep(handle, 3, clipped, signal);
    const [after] = await engine.forward(handle, 4, learn.data, signal);
    expect(after?.[0]).toBeCloseTo(before?.[0] ?? 0, 4);
    const none = fake.client({ capabilities: { ...ENGINES['local-jax'], gradientNormClip: false } });
    await none.forwardBackward(handle, 5, learn, signal);
    await none.optimStep(handle, 6, clipped, signal);
    const [free] = await engine.forward(handle, 7, learn.data, signal);
    expect(free?.[0]).toBeGreaterThan((before?.[0] ?? 0) + 0.01);
  });

  test('a key is sent when one is named, and its absence is a ConfigError', async () => {
    const keyed = fake.client({ apiKeyEnv: 'ENGINE_KEY', env: {} });
    await expect(keyed.sample(request, signal)).rejects.toMatchObject({ type: 'ConfigError' });
    const secret = fake.client({ apiKeyEnv: 'ENGINE_KEY', env: { ENGINE_KEY: 'sesame' } });
    fake.inject({ call: 'asample', kind: 'status', status: 500, message: 'bad key sesame' });
    const error = await secret.sample(request, signal).catch(String);
    expect(error).not.toContain('sesame');
    expect(error).toContain('bad key');
  });
});

test('what is deleted can no longer be sampled or loaded, and deleting it again is no error', async () => {
  const snapshot = await engine.publish(handle, 'v1', signal);
  const weights = await engine.saveWeights(handle, 'step-1', signal);
  for (let i = 0; i < 2; i += 1) for (const path of [snapshot, weights]) await engine.remove?.(path, signal);
  await expect(engine.sample({ ...request, path: snapshot }, signal)).rejects.toMatchObject({
    type: 'NotFound',
  });
  await expect(
    engine.createModel({ baseModel: fake.baseModel, rank: 4, restore: weights }, signal),
  ).rejects.toMatchObject({ type: 'NotFound' });
  await expect(engine.remove?.('/etc/passwd', signal)).rejects.toMatchObject({ type: 'InvalidInput' });
});
