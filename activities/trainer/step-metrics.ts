import { batchMetrics, lossMetrics, stalenessHistogram } from '../../domain/rl/metrics.ts';
import type { BatchDocument, GroupDocument, RolloutFacts, StepDocument } from './records.ts';
import type { UpdateResult } from './update.ts';

/** The numbers of one step, under the names of wideseek 6.9 where it has one. Times are seconds. */
export function stepDocument(
  batch: BatchDocument,
  groups: readonly GroupDocument[],
  update: UpdateResult,
  measured: { at: number; trainMs: number; version: number },
): StepDocument {
  const rollouts = groups.flatMap((group) => group.rollouts).filter(({ kind }) => kind === 'scored');
  const { time, trained } = update;
  const seconds = (ms: number): number => ms / 1000;
  const wall = batch.waitMs + measured.trainMs;
  return {
    step: batch.step,
    version: measured.version,
    at: measured.at,
    metrics: {
      ...rolloutMetrics(rollouts),
      ...batchMetrics(update.batch),
      ...lossMetrics(trained?.loss ?? []),
      ...optimiserMetrics(update, batch),
      'rollout/loss_tokens': update.batch.stats.lossTokens,
      'train/tokens': update.batch.stats.tokensAfter,
      'groups/trained': batch.groups.length,
      'groups/expired': batch.expired.length,
      'time/rollout': seconds(batch.waitMs),
      'time/prepare_data': seconds(time.build),
      'time/reference': seconds(time.reference),
      'time/forward': seconds(time.forward),
      'time/backward': seconds(time.backward),
      'time/optimiser': seconds(time.optimise),
      'time/training': seconds(measured.trainMs),
      'trainer/idle_share': wall === 0 ? 0 : batch.waitMs / wall,
    },
    staleness: Object.fromEntries(stalenessHistogram(update.batch, measured.version)),
    stopReasons: countBy(groups.flatMap((group) => group.rollouts.map(({ stopReason }) => stopReason))),
    groups: batch.groups,
    expired: batch.expired,
    filtered: update.batch.filtered,
    excluded: update.batch.excluded,
  };
}

/**
 * The step with what it took to publish its weights, and its whole time: waiting, training and publishing. A step whose
 * weights an attempt published that did not live to say so has neither.
 */
export function withPublishing(step: StepDocument, publishMs: number): StepDocument {
  const { metrics } = step;
  const sync = publishMs / 1000;
  const whole = (metrics['time/rollout'] ?? 0) + (metrics['time/training'] ?? 0) + sync;
  return { ...step, metrics: { ...metrics, 'time/sync_weights': sync, 'time/step': whole } };
}

/** Means over scored rollouts; also for evaluations. Empty where there is none. */
export function rolloutMetrics(rollouts: readonly RolloutFacts[]): Record<string, number> {
  if (rollouts.length === 0) return {};
  const mean = (pick: (facts: RolloutFacts) => number): number =>
    rollouts.reduce((sum, facts) => sum + pick(facts), 0) / rollouts.length;
  const most = (pick: (facts: RolloutFacts) => number): number =>
    rollouts.reduce((largest, facts) => Math.max(largest, pick(facts)), 0);
  const turns = mean((facts) => facts.turns);
  const leadTurns = mean((facts) => facts.leadTurns);
  const perTurn = (pick: (facts: RolloutFacts) => number): number => (turns === 0 ? 0 : mean(pick) / turns);
  return {
    'rollout/reward_scores_traj': mean(({ reward }) => reward ?? 0),
    'rollout/reward_scores_turn': perTurn((facts) => (facts.reward ?? 0) * facts.turns),
    'rollout/score': mean(({ score }) => score ?? 0),
    'wideseek_r1/traj/mean/subtask': mean(({ subtasks }) => subtasks),
    'wideseek_r1/traj/mean/search': mean(({ searches }) => searches),
    'wideseek_r1/traj/mean/access': mean(({ accesses }) => accesses),
    // Only leads delegate.
    'wideseek_r1/turn/mean/subtask': leadTurns === 0 ? 0 : mean(({ subtasks }) => subtasks) / leadTurns,
    'wideseek_r1/turn/mean/search': perTurn(({ searches }) => searches),
    'wideseek_r1/turn/mean/access': perTurn(({ accesses }) => accesses),
    'wideseek_r1/avg_main_agent_turns_per_traj': leadTurns,
    'wideseek_r1/avg_subagent_turns_per_traj': mean((facts) => facts.turns - facts.leadTurns),
    'wideseek_r1/avg_num_subagents_per_traj': mean(({ subtasks }) => subtasks),
    'wideseek_r1/traj/mean/final_answer_format': mean(({ format }) => format),
    'rollout/prompt_length': perTurn(({ promptTokens }) => promptTokens),
    'rollout/response_length': perTurn(({ responseTokens }) => responseTokens),
    'rollout/total_length': perTurn((facts) => facts.promptTokens + facts.responseTokens),
    'rollout/max_prompt_length': most(({ maxPrompt }) => maxPrompt),
    'rollout/max_response_length': most(({ maxResponse }) => maxResponse),
    'rollout/max_total_length': most(({ maxTotal }) => maxTotal),
    'rollout/response_tokens': rollouts.reduce((sum, facts) => sum + facts.responseTokens, 0),
    'rollout/fraction_of_samples_properly_ended':
      rollouts.filter(({ stopReason }) => stopReason === 'answered').length / rollouts.length,
  };
}

function optimiserMetrics({ trained }: UpdateResult, batch: BatchDocument): Record<string, number> {
  if (trained === null) return { 'train/actor/update_success': 0 };
  const mean = (values: readonly number[]): number =>
    values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
  const norms = trained.optimiser.flatMap((reply) => named(reply, /grad.*norm/i));
  const zeros = trained.optimiser.flatMap((reply) => named(reply, /zeros.*grad/i));
  return {
    'train/actor/policy_loss': mean(trained.losses),
    'train/actor/policy_loss_abs': mean(trained.lossesAbs),
    'train/actor/final_loss': mean(trained.objectives),
    'train/actor/lr': batch.learningRates.at(-1) ?? 0,
    ...(norms.length === 0 ? {} : { 'train/actor/grad_norm': mean(norms) }),
    ...(zeros.length === 0 ? {} : { 'train/actor/num_zeros_in_grad': mean(zeros) }),
    'train/actor/update_success': 1,
    'train/calls': trained.calls,
    'train/packing': trained.packing,
  };
}

/** Engines name their numbers as they like, and not every engine has each. */
const named = (reply: Record<string, number>, pattern: RegExp): number[] =>
  Object.entries(reply).flatMap(([name, value]) => (pattern.test(name) ? [value] : []));

const countBy = (values: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
};
