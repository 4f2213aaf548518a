/** One model turn of a rollout, named by id so that equal turns are never confused. */
export interface TurnFacts {
  id: string;
  role: 'lead' | 'single' | 'subagent';
  responseTokens: number;
  /** Calls the turn made, by tool. */
  searchCalls: number;
  accessCalls: number;
  /** The agent of this turn ended at its context or turn limit. */
  hitLimit: boolean;
  /** The response repeats itself. */
  repeats: boolean;
}

export interface RewardConfig {
  formatReward: number;
  callSearchReward: number;
  lengthPenalty: number;
  /** Tokens of the longest response where the penalty starts and where it is full. */
  lengthLimit: number;
  maxLengthLimit: number;
  /** what earns the search credit. The published code pays for page access only, despite the key's name. */
  creditFor: 'access' | 'search-or-access';
}

/** The values of the published runs (wideseek 3.5). */
export const PUBLISHED_REWARD: RewardConfig = {
  formatReward: 0.1,
  callSearchReward: 0.05,
  lengthPenalty: 0.1,
  lengthLimit: 3_000,
  maxLengthLimit: 5_000,
  creditFor: 'access',
};

export type FinalReward =
  | {
      kind: 'scored';
      reward: number;
      /** `A1`, `A2`, or for a bad answer `B1+B2`, `B1+B3`, `B2`, `B3` of the table in 3.5. */
      rule: string;
      /** Turns that are trained on; the same reward goes to each. */
      trainable: string[];
      finalAnswerFormat: 0 | 1;
    }
  | { kind: 'unscored'; reason: string };

/** Penalty for the longest single response, in [0, `lengthPenalty`]: linear between the two limits (3.5). */
export function lengthPenalty(longestResponse: number, config: RewardConfig): number {
  const span = config.maxLengthLimit - config.lengthLimit;
  const share =
    span > 0 ? (longestResponse - config.lengthLimit) / span : Number(longestResponse > config.lengthLimit);
  return config.lengthPenalty * Math.min(1, Math.max(0, share));
}

/**
 * Reward of a rollout and the turns it trains (3.5). `judged` null means that the judge could not be reached: the
 * rollout is unscored, never 0. `answerOk`: an answer was extracted and its format holds.
 */
export function finalReward(
  turns: readonly TurnFacts[],
  answerOk: boolean,
  judged: { reward: number } | { unscored: string },
  config: RewardConfig = PUBLISHED_REWARD,
): FinalReward {
  if ('unscored' in judged) return { kind: 'unscored', reason: judged.unscored };
  const flagged = turns.filter(({ role, hitLimit }) => role !== 'subagent' && hitLimit);
  const ids = (kept: readonly TurnFacts[]): string[] => kept.map(({ id }) => id);
  if (answerOk && flagged.length > 0) return zero('A2', ids(flagged));
  if (!answerOk) return badAnswer(turns, flagged.length === 0);
  const longest = turns.reduce((most, { responseTokens }) => Math.max(most, responseTokens), 0);
  const reward =
    judged.reward + config.formatReward + searchCredit(turns, config) - lengthPenalty(longest, config);
  return {
    kind: 'scored',
    reward,
    rule: 'A1',
    trainable: ids(turns.filter(({ hitLimit }) => !hitLimit)),
    finalAnswerFormat: 1,
  };
}

function searchCredit(turns: readonly TurnFacts[], config: RewardConfig): number {
  const earned = turns.some(
    ({ searchCalls, accessCalls }) =>
      accessCalls > 0 || (config.creditFor === 'search-or-access' && searchCalls > 0),
  );
  return earned ? config.callSearchReward : 0;
}

/** B1 adds the last turn where the lead ended by itself; then the repeating turns, or without any the turns at a limit. */
function badAnswer(turns: readonly TurnFacts[], endedNaturally: boolean): FinalReward {
  const repeating = turns.filter(({ repeats }) => repeats);
  const blamed = repeating.length > 0 ? repeating : turns.filter(({ hitLimit }) => hitLimit);
  const kept = new Set(blamed.map(({ id }) => id));
  const last = turns.at(-1);
  if (endedNaturally && last !== undefined) kept.add(last.id);
  const second = repeating.length > 0 ? 'B2' : 'B3';
  const trainable = turns.filter(({ id }) => kept.has(id)).map(({ id }) => id);
  return zero(endedNaturally ? `B1+${second}` : second, trainable);
}

const zero = (rule: string, trainable: string[]): FinalReward => ({
  kind: 'scored',
  reward: 0,
  rule,
  trainable,
  finalAnswerFormat: 0,
});
