import { expect, test } from 'vitest';
import { buildBatch } from '../../domain/rl/batch.ts';
import type { LossStats } from '../../domain/rl/loss.ts';
import { PRESETS } from '../../domain/rl/presets.ts';
import { type BatchDocument, type GroupDocument, stepDocumentSchema } from './records.ts';
import { rolloutMetrics, stepDocument, withPublishing } from './step-metrics.ts';
import { factsWith, groupWith } from './testing.fake.ts';
import type { UpdateResult } from './update.ts';

const batch: BatchDocument = {
  ...{ step: 3, groups: ['g1'], reason: 'count', expired: ['g0'], learningRates: [0.1, 0.2], waitMs: 6_000 },
};
const group: GroupDocument = {
  ...{ id: 'g1', questionId: 'q', admittedAt: 3, closed: 'partial', fate: { kind: 'ready' } },
  excluded: [{ sample: 2, reason: 'failed: model_outage' }],
  rollouts: [
    factsWith({ reward: 1.1, score: 1, turns: 4, leadTurns: 2, subtasks: 2, searches: 6, accesses: 2 }),
    factsWith({
      reward: 0.1,
      score: 0,
      turns: 2,
      stopReason: 'turn_limit',
      format: 0,
      maxResponse: 9,
      maxTotal: 14,
    }),
    factsWith({ kind: 'failed', reward: 100, score: 100, stopReason: 'none' }),
  ],
};
const stats: LossStats = {
  ...{
    tokens: 10,
    clipped: 1,
    dualClipped: 2,
    masked: 3,
    ratioSum: 11,
    ratioClippedSum: 10.5,
    ratioAbsSum: 2,
  },
  ...{ logRatioSum: -1, entropySum: 6, lossSum: 3, lossAbsSum: 5, klSum: 4 },
};
const update: UpdateResult = {
  batch: buildBatch([groupWith('g1', [1, 0, 0.5])], PRESETS.wideseek.batch),
  trained: {
    ...{
      losses: [0.2, 0.4],
      lossesAbs: [0.5, 0.7],
      objectives: [0.3, 0.7],
      loss: [stats],
      calls: 4,
      packing: 0.9,
    },
    optimiser: [{ 'grad_norm:mean': 2, num_zeros_in_grad: 7 }, { total_gradient_norm: 4 }],
  },
  nextSeq: 9,
  time: { build: 100, reference: 200, forward: 300, backward: 400, optimise: 500 },
};
const measured = { at: 12, trainMs: 2_000, version: 3 };

test('a step has the published names, with what was measured', () => {
  const document = stepDocument(batch, [group], update, measured);
  expect(stepDocumentSchema.parse(JSON.parse(JSON.stringify(document)))).toEqual(document);
  const near = (values: Record<string, number>): void => {
    for (const [name, value] of Object.entries(values))
      expect([name, document.metrics[name]]).toEqual([name, expect.closeTo(value, 10)]);
  };
  near({
    'train/actor/policy_loss': 0.3,
    'train/actor/policy_loss_abs': 0.6,
    'train/actor/final_loss': 0.5,
    'train/actor/ratio': 1.1,
    'train/actor/clipped_ratio': 1.05,
    'train/actor/entropy_loss': 0.6,
    'train/actor/num_zeros_in_grad': 7,
    'train/actor/ratio_abs': 0.2,
    'train/actor/approx_kl': -0.1,
    'train/actor/clip_fraction': 0.1,
    'train/actor/dual_cliped_ratio': 0.2,
    'train/actor/masked_fraction': 0.3,
    'train/actor/kl_loss': 0.4,
    'train/actor/grad_norm': 3,
    'train/actor/lr': 0.2,
    'train/actor/update_success': 1,
    'rollout/reward_scores_traj': 0.6,
    'rollout/total_num_sequence': 3,
    'groups/expired': 1,
    'time/rollout': 6,
    'time/training': 2,
    'time/prepare_data': 0.1,
    'time/reference': 0.2,
    'time/forward': 0.3,
    'time/backward': 0.4,
    'time/optimiser': 0.5,
    'trainer/idle_share': 0.75,
  });
  expect(document).toMatchObject({ step: 3, version: 3, at: 12, groups: ['g1'], expired: ['g0'] });
  expect(document.stopReasons).toEqual({ answered: 1, turn_limit: 1, none: 1 });
  expect(document.staleness).toEqual({ 3: 12 });
});

test('a step that was not taken says so, and claims no loss and no norm', () => {
  const { metrics } = stepDocument(batch, [group], { ...update, trained: null }, { ...measured, trainMs: 0 });
  expect(metrics['train/actor/update_success']).toBe(0);
  for (const name of ['policy_loss', 'policy_loss_abs', 'final_loss', 'grad_norm', 'num_zeros_in_grad', 'lr'])
    expect(metrics).not.toHaveProperty(`train/actor/${name}`);
  expect(Object.values(metrics).filter((value) => !Number.isFinite(value))).toEqual([]);
  const instant = stepDocument({ ...batch, waitMs: 0 }, [], update, { ...measured, trainMs: 0 });
  expect(instant.metrics['trainer/idle_share']).toBe(0);
});

test('publishing adds its own time and the whole of the step, and changes nothing else', () => {
  const before = stepDocument(batch, [group], update, measured);
  expect(before.metrics).not.toHaveProperty('time/step');
  expect(before.metrics).not.toHaveProperty('time/sync_weights');
  const after = withPublishing(before, 500);
  expect(after.metrics).toMatchObject({ 'time/sync_weights': 0.5, 'time/step': 8.5 });
  expect({ ...after, metrics: { ...after.metrics, ...before.metrics } }).toEqual(after);
});

test('means over rollouts are per rollout or per turn, as their names say', () => {
  const metrics = rolloutMetrics(group.rollouts.slice(0, 2));
  expect(metrics).toMatchObject({
    'rollout/score': 0.5,
    // Rewards 1.1 over four turns and 0.1 over two.
    'rollout/reward_scores_turn': expect.closeTo(4.6 / 6, 10) as number,
    'wideseek_r1/turn/mean/subtask': 0.5,
    'wideseek_r1/traj/mean/search': 3,
    'wideseek_r1/turn/mean/search': 1,
    'wideseek_r1/avg_main_agent_turns_per_traj': 2,
    'wideseek_r1/avg_subagent_turns_per_traj': 1,
    'wideseek_r1/traj/mean/final_answer_format': 0.5,
    'rollout/max_response_length': 9,
    'rollout/max_total_length': 14,
    'rollout/response_tokens': 8,
    'rollout/fraction_of_samples_properly_ended': 0.5,
  });
  expect(rolloutMetrics([])).toEqual({});
  const idle = rolloutMetrics([factsWith({ turns: 0, leadTurns: 0 })]);
  for (const name of ['search', 'subtask']) expect(idle[`wideseek_r1/turn/mean/${name}`]).toBe(0);
});
