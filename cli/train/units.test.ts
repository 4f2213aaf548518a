import { expect, test } from 'vitest';
import { loadRunConfig } from '../../configs/load.ts';
import { loadTrainConfig } from '../../configs/train-load.ts';
import { estimate, type Facts } from './estimate.ts';
import type { Shown, TrainProgressReply } from './follow.ts';
import { readRate } from './orders.ts';
import { parametersOf } from './plan.ts';
import { createTrainView, shownLine } from './progress.ts';
import { trainKindOf, trainRunName } from './start.ts';
import { madeRun } from './testing/made.ts';

const progress = (changes: Partial<TrainProgressReply> = {}): Shown => ({
  kind: 'train',
  progress: {
    ...{ runId: 'r', phase: 'rollouts', step: 12, steps: 60, version: 12, running: 5, buffered: 3 },
    ...{ trained: 96, filtered: 0, failed: 0, expired: 0, rewardMean: 0.51, scoreMean: 0.42 },
    ...{ idleShare: 0.4, dev: null, host: 'a', etaSeconds: 480, note: '' },
    ...changes,
  },
});

test('the line says step, version, reward, item F1, groups, seconds a step and the time left', () => {
  expect(shownLine(progress(), null)).toBe(
    'step 12/60 · rollouts · version 12 · reward 0.510 · item F1 0.420 · groups 5 running, 3 buffered · 10.0 s a step · about 8 min left · trainer idle 40%',
  );
  const early = { rewardMean: null, scoreMean: null, etaSeconds: null, idleShare: null };
  expect(shownLine(progress({ ...early, step: 0, version: 0 }), null)).toBe(
    'step 0/60 · rollouts · version 0 · groups 5 running, 3 buffered',
  );
  const dev = { step: 10, score: 0.5, greedy: 0.7 };
  expect(shownLine(progress({ dev, filtered: 2, failed: 1, note: 'trainer a is gone' }), null)).toMatch(
    /2 without signal · 1 failed .* dev 0\.500 \(greedy 0\.700\) at 10 · ! trainer a is gone$/,
  );
  expect(shownLine({ kind: 'sft', progress: { runId: 'r', step: 5, steps: 10, loss: 1 } }, 5_000)).toBe(
    'step 5/10 · loss 1.000 · about 5 s left',
  );
});

test('without a terminal a step has a line, and a step that takes long has one now and then', () => {
  let text = '';
  let now = 0;
  const out = { isTTY: false, columns: 80, write: (some: string) => void (text += some) };
  const view = createTrainView(out, () => now);
  view.progress(progress());
  view.progress(progress({ running: 4 }));
  now += 40_000;
  view.progress(progress({ running: 3 }));
  view.progress(progress({ step: 13 }));
  expect(text.trim().split('\n')).toHaveLength(3);
});

test('names: in Temporal and in the store, and which runs are trainings', () => {
  const name = trainRunName('sft', '20261130-mini-x7k2');
  expect(name).toEqual({ workflowId: 'sft/20261130-mini-x7k2', runId: 'sft-20261130-mini-x7k2' });
  expect(trainKindOf({ ...madeRun, ...name })).toBe('sft');
  expect(() => trainKindOf({ ...madeRun, kind: 'seek', workflowId: 'seek/x' })).toThrow('no training');
});

test('a learning rate is a number or the schedule', () => {
  expect([readRate('1e-6'), readRate('0'), readRate('schedule')]).toEqual([1e-6, 0, null]);
  for (const wrong of ['', '-1', 'fast', 'Infinity']) expect(() => readRate(wrong)).toThrow('rate:');
});

const none: Facts = { questions: null, parameters: null, measured: null, tokensPerSecond: null };
const published = async (facts: Partial<Facts> = {}) => {
  const config = await loadTrainConfig('wideseek-r1-4b');
  const run = await loadRunConfig(config.policy.config, config.policy.set);
  return estimate(config, run, { ...none, ...facts });
};

test('the plan of the published run: bounds from the configuration, and no invented speed', async () => {
  const plan = await published();
  expect(plan).toMatchObject({
    ...{ rolloutsPerStep: 1_024, steps: 156, agentsPerRollout: 11, tokensPerStep: null },
    ...{ secondsPerStep: null, hours: null, engineMemory: null },
    mostTokensPerStep: 1_024 * 11 * 32_000,
  });
  expect(plan.assumptions.join()).toContain('give --tokens-per-second');
});

test('a speed that was given, or an earlier run, gives times; too few questions are said', async () => {
  const given = await published({ tokensPerSecond: 100_000, parameters: { count: 4e9, from: 'its name' } });
  expect(given.secondsPerStep).toBeCloseTo((1_024 * 11 * 32_000) / 100_000);
  expect(given.engineMemory).toBe(64e9);
  const measured = {
    ...{ runId: 'train-x', steps: 3, rolloutsPerStep: 512, tokensPerStep: 1e6 },
    ...{ rolloutSeconds: 20, trainSeconds: 10 },
  };
  const known = await published({ measured, questions: 1_280 });
  expect(known).toMatchObject({ tokensPerStep: 2e6, secondsPerStep: 60, stepsOfQuestions: 10, steps: 10 });
  expect(known.hours).toBeCloseTo(1 / 6);
  expect(known.warnings.join()).toContain('last for 10 of 156 steps');
});

test('parameters are counted from the layout', () => {
  const layout = { vocab_size: 336, hidden_size: 128, intermediate_size: 256, num_hidden_layers: 3 };
  const heads = { num_attention_heads: 4, num_key_value_heads: 2, head_dim: 32 };
  const tied = parametersOf({ ...layout, ...heads, tie_word_embeddings: true });
  expect(tied).toBe(336 * 128 + 3 * (2 * 128 * 32 * 6 + 3 * 128 * 256));
  expect(parametersOf({ ...layout, ...heads }) - tied).toBe(336 * 128);
});
