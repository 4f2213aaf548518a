import { PUBLISHED_REWARD, finalReward } from '../scoring/reward/final.ts';
import type { RewardConfig } from '../scoring/reward/final.ts';
import { turnFacts } from './types.ts';
import type { Rollout } from './types.ts';

/**
 * The rollout with its reward and trainable turns by the table of wideseek 3.5. A judge that could not be reached leaves
 * it `unscored`: excluded from its group, never 0.
 */
export function creditRollout(
  rollout: Omit<Rollout, 'outcome'>,
  answerOk: boolean,
  judged: { reward: number } | { unscored: string },
  config: RewardConfig = PUBLISHED_REWARD,
): Rollout {
  return { ...rollout, outcome: finalReward(rollout.turns.map(turnFacts), answerOk, judged, config) };
}
