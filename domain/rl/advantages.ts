import { invalidInput } from '../errors.ts';

/** A scored rollout as the group statistics see it. */
export interface GroupMember {
  reward: number;
  /** Turns that are trained on. */
  keptTurns: number;
}

export interface AdvantageConfig {
  /** `trajectory`: one value per rollout (published). `turn`: every kept turn counts, so long rollouts weigh more. */
  mode: 'trajectory' | 'turn';
  /** Divide by the sample deviation (WideSeek), the population deviation or nothing (ASearcher). */
  scale: 'sample' | 'population' | 'none';
  epsilon: number;
}

/** WideSeek 4.2. */
export const WIDESEEK_ADVANTAGE: AdvantageConfig = { mode: 'trajectory', scale: 'sample', epsilon: 1e-6 };
/** ASearcher 3.5, simple agent: centred only. */
export const ASEARCHER_SIMPLE_ADVANTAGE: AdvantageConfig = { mode: 'trajectory', scale: 'none', epsilon: 0 };
/** ASearcher 3.5, reasoning agent: population deviation. */
export const ASEARCHER_REASONING_ADVANTAGE: AdvantageConfig = {
  mode: 'trajectory',
  scale: 'population',
  epsilon: 0,
};

/**
 * Advantage of each rollout of a group, `(R − mean) / (std + ε)` (wideseek 4.2, asearcher 3.5). Every agent, turn and
 * token of a rollout gets its rollout's value. Only scored rollouts belong here. A rollout that keeps no turn
 * enters the trajectory statistics with reward 0, as published. Equal rewards give exact zeros.
 * Throws `InvalidInput` for a reward that is not finite.
 */
export function groupAdvantages(
  members: readonly GroupMember[],
  config: AdvantageConfig = WIDESEEK_ADVANTAGE,
): number[] {
  const rewards = members.map(({ reward, keptTurns }, index) => {
    if (!Number.isFinite(reward)) throw invalidInput(`rewards[${index}]`, `${reward} is not a finite number`);
    return keptTurns === 0 ? 0 : reward;
  });
  const counts = members.map(({ keptTurns }) => (config.mode === 'turn' ? keptTurns : 1));
  const { mean, squares, total } = moments(rewards, counts);
  if (squares === 0) return rewards.map(() => 0);
  const centred = rewards.map((reward) => reward - mean);
  if (config.scale === 'none') return centred;
  const deviation = Math.sqrt(squares / (config.scale === 'sample' ? total - 1 : total));
  return centred.map((value) => value / (deviation + config.epsilon));
}

/** Counted mean and sum of squared deviations, exactly 0 where all counted values are equal. */
function moments(values: readonly number[], counts: readonly number[]) {
  let total = 0;
  let sum = 0;
  let least = Infinity;
  let most = -Infinity;
  values.forEach((value, index) => {
    const count = counts[index] ?? 0;
    if (count === 0) return;
    total += count;
    sum += count * value;
    least = Math.min(least, value);
    most = Math.max(most, value);
  });
  if (!(most > least)) return { mean: least, squares: 0, total };
  const mean = sum / total;
  const squares = values.reduce((acc, value, index) => acc + (counts[index] ?? 0) * (value - mean) ** 2, 0);
  return { mean, squares, total };
}
