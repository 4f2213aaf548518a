import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type FakeEngineOptions, longTail, startFakeEngine } from './fake-engine.ts';

const signal = new AbortController().signal;
const ask = (n: number) => ({
  prompt: Int32Array.of(1, 2, n % 64),
  path: null,
  maxTokens: 20,
  temperature: 1,
  seed: n,
  stop: [],
});
const datum = (tokens: Int32Array) => {
  const length = tokens.length - 1;
  return {
    tokens: tokens.slice(0, length),
    targets: tokens.slice(1),
    weights: new Float32Array(length).fill(1),
    logprobs: new Float32Array(length),
    advantages: new Float32Array(length).fill(1),
  };
};

async function using<T>(
  options: FakeEngineOptions,
  work: (fake: Awaited<ReturnType<typeof startFakeEngine>>) => Promise<T>,
): Promise<T> {
  const fake = await startFakeEngine(options);
  return work(fake).finally(() => fake.close());
}

test('checkpoints in a folder outlive the engine', async () => {
  const checkpoints = mkdtempSync(join(tmpdir(), 'fake-engine-'));
  try {
    const data = [datum(Int32Array.of(1, 2, 3))];
    const adam = { learningRate: 0.1, beta1: 0.9, beta2: 0.9, eps: 1e-8, weightDecay: 0 };
    const [restore, expected] = await using({ checkpoints }, async (fake) => {
      const engine = fake.client();
      const handle = await engine.createModel({ baseModel: fake.baseModel, rank: 1 }, signal);
      await engine.forwardBackward(handle, 1, { lossFn: 'cross_entropy', lossFnConfig: {}, data }, signal);
      await engine.optimStep(handle, 2, adam, signal);
      const path = await engine.saveWeights(handle, 'c', signal);
      return [path, await engine.forward(handle, 3, data, signal)] as const;
    });
    await using({ checkpoints }, async (fake) => {
      const engine = fake.client();
      const handle = await engine.createModel({ baseModel: fake.baseModel, rank: 1, restore }, signal);
      expect(await engine.forward(handle, 1, data, signal)).toEqual(expected);
    });
  } finally {
    rmSync(checkpoints, { recursive: true });
  }
});

test('a script writes samples, with the policy’s log-probs', () =>
  using({ script: ({ n }) => (n === 0 ? { tokens: Int32Array.of(9, 8) } : undefined) }, async (fake) => {
    const engine = fake.client();
    const first = await engine.sample(ask(0), signal);
    expect([...first.tokens]).toEqual([9, 8]);
    const prompt = Int32Array.of(...ask(0).prompt, 9, 8);
    const expected = await engine.promptLogprobs(prompt, null, signal);
    expect(first.logprobs).toEqual(expected.slice(2));
    expect((await engine.sample(ask(1), signal)).tokens).toHaveLength(20);
  }));

test('many rollouts at once and a step on all of them are counted', () =>
  using({}, async (fake) => {
    const engine = fake.client();
    const handle = await engine.createModel({ baseModel: fake.baseModel, rank: 1 }, signal);
    const samples = await Promise.all(Array.from({ length: 256 }, (_, n) => engine.sample(ask(n), signal)));
    expect(fake.sampledTokens()).toBe(256 * 20);
    const data = samples.map(({ tokens }) => datum(tokens));
    await engine.forwardBackward(handle, 1, { lossFn: 'ppo', lossFnConfig: {}, data }, signal);
    expect(fake.done()).toMatchObject({ asample: 256, forward_backward: 1 });
    expect(fake.counts()).toMatchObject({ asample: 256, retrieve_future: 256 + 2 });
  }));

test('latency is asked with the number of tokens', async () => {
  const asked: [number, number][] = [];
  const sample = (n: number, tokens: number): number => {
    asked.push([n, tokens]);
    return 0;
  };
  await using({ latency: { sample } }, async (fake) => {
    await fake.client().sample(ask(1), signal);
  });
  expect(asked).toEqual([[0, 20]]);
});

test('long-tailed times depend on their number only and have the median that was asked for', () => {
  const times = Array.from({ length: 2_001 }, (_, n) => longTail(100, 1, 4)(n)).sort((a, b) => a - b);
  expect(longTail(100, 1, 4)(17)).toBe(longTail(100, 1, 4)(17));
  expect(times[1_000]).toBeGreaterThan(85);
  expect(times[1_000]).toBeLessThan(115);
  expect(times[1_980]).toBeGreaterThan(600);
});
