import { invalidInput } from '../errors.ts';
import type { Sequence } from './types.ts';
import type { Weighting } from './weights.ts';

/**
 * The global number that a step's weighted token losses are divided by (4.3, 4.4; R-07): `rollouts` for weights that
 * sum to 1 in a rollout, `tokens` for the flat mean, or a number given by hand (for example B·G of the configuration).
 */
export type DenominatorRule = 'rollouts' | 'tokens' | number;

/** The rule that makes the loss a mean under this weighting. */
export const naturalDenominator = (weighting: Weighting): DenominatorRule =>
  weighting === 'token-mean' ? 'tokens' : 'rollouts';

/** Tokens inside the loss; counted before any cap or age mask (asearcher 3.5). */
export const lossTokens = (sequences: readonly Sequence[]): number =>
  sequences.reduce((sum, { spans }) => sum + spans.reduce((tokens, { length }) => tokens + length, 0), 0);

/** The denominator of a step of `rollouts` scored rollouts. Throws `InvalidInput` for a number that is not above 0. */
export function denominatorOf(
  rule: DenominatorRule,
  rollouts: number,
  sequences: readonly Sequence[],
): number {
  if (typeof rule === 'number' && !(rule > 0 && Number.isFinite(rule)))
    throw invalidInput('denominator', `${rule} is not above 0`);
  if (rule === 'rollouts') return rollouts;
  return rule === 'tokens' ? lossTokens(sequences) : rule;
}
