import type { TrainingBatch } from './batch.ts';
import type { LossStats } from './loss.ts';

/**
 * Numbers of a batch for the step's record, under the names of wideseek 6.9 where it has one. Advantages are
 * per trained turn; lengths are in tokens; `merge/kept_share` is tokens after over before merging.
 */
export function batchMetrics(batch: TrainingBatch): Record<string, number> {
  const advantages = batch.sequences.flatMap(({ spans }) => spans.map(({ advantage }) => advantage));
  const { stats } = batch;
  const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);
  const sum = advantages.reduce((total, advantage) => total + advantage, 0);
  return {
    'rollout/total_num_sequence': batch.sequences.length,
    'rollout/advantages_mean': share(sum, advantages.length),
    'rollout/advantages_max': advantages.reduce(
      (most, advantage) => Math.max(most, advantage),
      advantages[0] ?? 0,
    ),
    'rollout/advantages_min': advantages.reduce(
      (least, advantage) => Math.min(least, advantage),
      advantages[0] ?? 0,
    ),
    'rollout/avg_turns_per_traj': share(stats.turns, batch.rollouts),
    'groups/filtered': batch.filtered.length,
    'rollouts/excluded': batch.excluded.length,
    'merge/kept_share': share(stats.tokensAfter, stats.tokensBefore),
    'merge/prefix_mismatches': stats.prefixMismatches,
    // both readings of N_i
    'agents/kept': share(stats.agentsKept, batch.rollouts),
    'agents/started': share(stats.agentsStarted, batch.rollouts),
  };
}

/** Loss tokens by age, in versions between sampling and the step at `version`; ages without tokens are absent. */
export function stalenessHistogram(batch: TrainingBatch, version: number): Map<number, number> {
  const histogram = new Map<number, number>();
  for (const { spans } of batch.sequences)
    for (const { versions } of spans)
      for (const sampled of versions)
        histogram.set(version - sampled, (histogram.get(version - sampled) ?? 0) + 1);
  return new Map([...histogram].sort(([a], [b]) => a - b));
}

/**
 * Shares and means over all loss tokens of a step, from its sequences' statistics (6.9). The ratio is the one of 4.5,
 * with the log-probs that the engine had when it took the gradient; `ratio_abs` is the mean of |ratio − 1|, `approx_kl`
 * that of old − new log-prob, `entropy_loss` the entropy as the sampled tokens show it (their mean −log-prob; no loss has
 * an entropy term).
 */
export function lossMetrics(parts: readonly LossStats[]): Record<string, number> {
  const total = (pick: (stats: LossStats) => number): number =>
    parts.reduce((sum, stats) => sum + pick(stats), 0);
  const tokens = total((stats) => stats.tokens);
  const mean = (pick: (stats: LossStats) => number): number => (tokens === 0 ? 0 : total(pick) / tokens);
  return {
    'train/actor/ratio': mean((stats) => stats.ratioSum),
    'train/actor/clipped_ratio': mean((stats) => stats.ratioClippedSum),
    'train/actor/ratio_abs': mean((stats) => stats.ratioAbsSum),
    'train/actor/approx_kl': mean((stats) => stats.logRatioSum),
    'train/actor/entropy_loss': mean((stats) => stats.entropySum),
    'train/actor/clip_fraction': mean((stats) => stats.clipped),
    'train/actor/dual_cliped_ratio': mean((stats) => stats.dualClipped),
    'train/actor/masked_fraction': mean((stats) => stats.masked),
    'train/actor/kl_loss': mean((stats) => stats.klSum),
  };
}
