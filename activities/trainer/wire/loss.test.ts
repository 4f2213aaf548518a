import { expect, test } from 'vitest';
import { ENGINES } from '../../../domain/rl/engine.ts';
import type { Datum } from '../../../domain/rl/datum.ts';
import { reducedLoss } from './loss.ts';

const datum = (weights: number[], advantage: number): Datum => ({
  tokens: new Int32Array(weights.length),
  targets: new Int32Array(weights.length),
  weights: Float32Array.from(weights),
  logprobs: new Float32Array(weights.length).fill(-1),
  advantages: new Float32Array(weights.length).fill(advantage),
});
const data = [datum([0, 1, 1], 2), datum([1], -3)];
const logprobs = [Float32Array.of(-9, -1, -1), Float32Array.of(-1)];
const call = { lossFn: 'ppo' as const, lossFnConfig: {}, data };

test('without a reported loss it is computed from log-probs, and reduced as the engine does', () => {
  const output = { logprobs, elementwiseLoss: undefined, metrics: {} };
  // At ratio 1 the loss is −A: −2 −2 +3 as a sum, (−2 + 3) / 2 as a mean of means.
  expect(reducedLoss(call, output, ENGINES.tinker)).toBe(-1);
  expect(reducedLoss(call, output, ENGINES['skyrl-jax'])).toBe(0.5);
  const supervised = { ...call, lossFn: 'cross_entropy' as const };
  expect(reducedLoss(supervised, output, ENGINES.tinker)).toBe(3);
});

test('the bounds of the call clip it', () => {
  const output = {
    logprobs: [Float32Array.of(0, 0, 0), Float32Array.of(-1)],
    elementwiseLoss: undefined,
    metrics: {},
  };
  const clipped = { ...call, lossFnConfig: { clip_low_threshold: 0.8, clip_high_threshold: 1.5 } };
  expect(reducedLoss(clipped, output, ENGINES.tinker)).toBeCloseTo(-2 * 2 * 1.5 + 3, 5);
  const free = { ...call, lossFn: 'importance_sampling' as const };
  expect(reducedLoss(free, output, ENGINES.tinker)).toBeCloseTo(-2 * 2 * Math.E + 3, 5);
});

test('what the engine reports is preferred', () => {
  const elementwiseLoss = [Float32Array.of(0, 5, 7), Float32Array.of(4)];
  const output = { logprobs, elementwiseLoss, metrics: {} };
  expect(reducedLoss(call, output, ENGINES.tinker)).toBe(16);
  expect(reducedLoss(call, output, ENGINES['skyrl-jax'])).toBe(5);
  expect(reducedLoss(call, { ...output, metrics: { 'loss:sum': 8 } }, ENGINES.tinker)).toBe(8);
});
