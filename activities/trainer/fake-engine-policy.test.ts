import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ENGINES } from '../../domain/rl/engine.ts';
import { createRandom, createToyPolicy } from './fake-engine-policy.ts';
import type { AdamParams, ForwardBackward } from './port.ts';

const base = ENGINES['local-jax'];
const adam: AdamParams = { learningRate: 1e-6, beta1: 0, beta2: 0, eps: 1, weightDecay: 0 };

test.each([5, 64, 1_000])('the probabilities of %i tokens add up to 1', (vocabSize) => {
  const policy = createToyPolicy(vocabSize, base);
  const { logits } = policy.initial(3);
  let sum = 0;
  for (let token = 0; token < vocabSize; token += 1) sum += Math.exp(policy.logprob(logits, 7, token));
  expect(sum).toBeCloseTo(1, 10);
});

test('the gradient is the derivative of the loss', () => {
  const policy = createToyPolicy(20, base);
  fc.assert(
    fc.property(
      fc.constantFrom('cross_entropy' as const, 'importance_sampling' as const, 'ppo' as const),
      fc.integer({ min: 0, max: 639 }),
      fc.array(fc.tuple(fc.nat(19), fc.nat(19), fc.double({ min: -2, max: 2, noNaN: true })), {
        minLength: 1,
        maxLength: 6,
      }),
      (lossFn, at, steps) => {
        const { logits } = policy.initial(1);
        const current = steps.map(([from, to]) => policy.logprob(logits, from, to));
        const call: ForwardBackward = {
          lossFn,
          lossFnConfig: { clip_low_threshold: 0.8, clip_high_threshold: 1.28 },
          data: [
            {
              tokens: Int32Array.from(steps, ([from]) => from),
              targets: Int32Array.from(steps, ([, to]) => to),
              weights: new Float32Array(steps.length).fill(1),
              logprobs: Float32Array.from(current, (value) => value - 0.1),
              advantages: Float32Array.from(steps, ([, , advantage]) => advantage),
            },
          ],
        };
        const lossAt = (values: Float64Array): number =>
          policy.pass(values, call, null).losses[0]?.reduce((sum, loss) => sum + loss, 0) ?? NaN;
        const gradients = policy.noGradients();
        policy.pass(logits, call, gradients);
        const cell = at % logits.length;
        const moved = (by: number) => logits.map((value, i) => (i === cell ? value + by : value));
        const slope = (lossAt(moved(1e-2)) - lossAt(moved(-1e-2))) / 2e-2;
        expect(gradients.sum[cell]).toBeCloseTo(slope, 2);
      },
    ),
    { numRuns: 200 },
  );
});

test('samples follow the log-probs, and nucleus sampling keeps the likeliest', () => {
  const policy = createToyPolicy(4, base);
  const { logits } = policy.initial(9);
  const random = createRandom(1);
  const counts = [0, 0, 0, 0];
  for (let i = 0; i < 20_000; i += 1) {
    const token = policy.draw(logits, 2, { temperature: 1, topP: 1 }, random);
    counts[token] = (counts[token] ?? 0) + 1;
  }
  for (const [token, count] of counts.entries())
    expect(count / 20_000).toBeCloseTo(Math.exp(policy.logprob(logits, 2, token)), 1);
  const best = counts.indexOf(Math.max(...counts));
  for (let i = 0; i < 50; i += 1)
    expect(policy.draw(logits, 2, { temperature: 1, topP: 0.01 }, random)).toBe(best);
  expect(policy.draw(logits, 2, { temperature: 0, topP: 1 }, random)).toBe(best);
});

test('a step does not change the state it starts from', () => {
  const policy = createToyPolicy(8, base);
  const before = policy.initial(1);
  const copy = before.logits.slice();
  const gradients = policy.noGradients();
  gradients.sum.fill(1);
  const { state, gradientNorm } = policy.step(before, gradients, { ...adam, learningRate: 1 });
  expect(before.logits).toEqual(copy);
  expect(state.steps).toBe(1);
  expect(gradientNorm).toBeCloseTo(Math.sqrt(gradients.sum.length), 10);
});
