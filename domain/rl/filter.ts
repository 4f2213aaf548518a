/** Why a group teaches nothing. */
export type NoSignal = 'too_few_scored' | 'equal_rewards' | 'too_easy' | 'too_hard';

export interface FilterConfig {
  /** A group whose largest and mean reward differ by no more than this has no signal: 0 or 1e-3 (asearcher 3.4). */
  spread: number;
  /** Bounds of the mean reward, exclusive, as in (0.05, 0.95) of success rates (asearcher 3.4). Null: no bounds. */
  meanBetween: readonly [number, number] | null;
}

/** Only groups with exactly equal rewards are dropped. */
export const EQUAL_REWARDS_FILTER: FilterConfig = { spread: 0, meanBetween: null };
/** ASearcher's reasoning agent. */
export const ASEARCHER_FILTER: FilterConfig = { spread: 1e-3, meanBetween: null };

/**
 * Dynamic filtering of one group by its scored rewards (asearcher 3.4, R-12): the reason to leave it out, or null for a
 * group that teaches. Equal rewards are found by comparison, so rounding of the mean cannot hide them.
 */
export function noSignal(
  rewards: readonly number[],
  config: FilterConfig = EQUAL_REWARDS_FILTER,
): NoSignal | null {
  if (rewards.length < 2) return 'too_few_scored';
  const most = Math.max(...rewards);
  const least = Math.min(...rewards);
  const mean = rewards.reduce((sum, reward) => sum + reward, 0) / rewards.length;
  if (most === least || Math.abs(most - mean) <= config.spread) return 'equal_rewards';
  if (config.meanBetween === null) return null;
  const [low, high] = config.meanBetween;
  if (mean <= low) return 'too_hard';
  return mean >= high ? 'too_easy' : null;
}
