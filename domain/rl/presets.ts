import {
  ASEARCHER_REASONING_ADVANTAGE,
  ASEARCHER_SIMPLE_ADVANTAGE,
  WIDESEEK_ADVANTAGE,
} from './advantages.ts';
import type { BatchConfig } from './batch.ts';
import { ASEARCHER_FILTER, EQUAL_REWARDS_FILTER } from './filter.ts';
import { WIDESEEK_LOSS } from './loss.ts';
import type { LossConfig } from './loss.ts';
import { ASEARCHER_DECOUPLED, NO_AGE_LIMIT } from './off-policy.ts';
import { ASEARCHER_CLIP } from './policy-loss.ts';
import { ASEARCHER_SHAPING } from './shaping.ts';

export interface RlPreset {
  batch: BatchConfig;
  loss: LossConfig;
}

const shared = { denominator: null, shaping: null, normaliseOverTokens: false, merge: true } as const;
const asearcherLoss: LossConfig = {
  clip: ASEARCHER_CLIP,
  kl: null,
  decoupled: ASEARCHER_DECOUPLED,
  age: NO_AGE_LIMIT,
};

/** The published settings as configurations start from them; every part can be replaced. */
export const PRESETS: Readonly<Record<'wideseek' | 'asearcher-simple' | 'asearcher-reasoning', RlPreset>> = {
  /** wideseek 4.2 to 4.6; groups with equal rewards are left out, which the published code does not do. */
  wideseek: {
    batch: {
      ...shared,
      advantage: WIDESEEK_ADVANTAGE,
      weighting: 'dual-kept',
      filter: EQUAL_REWARDS_FILTER,
    },
    loss: WIDESEEK_LOSS,
  },
  /** asearcher 3.4, 3.5, simple agent. */
  'asearcher-simple': {
    batch: {
      ...shared,
      advantage: ASEARCHER_SIMPLE_ADVANTAGE,
      weighting: 'token-mean',
      filter: EQUAL_REWARDS_FILTER,
      shaping: ASEARCHER_SHAPING,
      normaliseOverTokens: true,
    },
    loss: asearcherLoss,
  },
  /** asearcher 3.4, 3.5, reasoning agent. */
  'asearcher-reasoning': {
    batch: {
      ...shared,
      advantage: ASEARCHER_REASONING_ADVANTAGE,
      weighting: 'token-mean',
      filter: ASEARCHER_FILTER,
    },
    loss: asearcherLoss,
  },
};
