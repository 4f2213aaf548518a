import type { Info } from '@temporalio/activity';

/** As Temporal counts where a policy leaves it out. Milliseconds. */
const INITIAL_MS = 1_000;
const COEFFICIENT = 2;
const LONGEST_OF_INITIAL = 100;
/** A wait is drawn from this share of the exact one upwards, and the same above it. */
const LEAST = 0.75;

/**
 * The wait before the next attempt, spread by a quarter both ways: Temporal's own back-off is exact, so that the agents of a
 * run whose provider failed all at once would all come back at once. Undefined where the policy is not known: then
 * Temporal's holds. `random` is from 0 to 1. Milliseconds.
 */
export function spreadBackoff(
  info: Pick<Info, 'attempt' | 'retryPolicy'>,
  random: number,
): number | undefined {
  const policy = info.retryPolicy;
  if (!policy) return undefined;
  const initial = toMs(policy.initialInterval) ?? INITIAL_MS;
  const longest = toMs(policy.maximumInterval) ?? initial * LONGEST_OF_INITIAL;
  const exact = Math.min(longest, initial * (policy.backoffCoefficient ?? COEFFICIENT) ** (info.attempt - 1));
  return Math.round(exact * (LEAST + 2 * (1 - LEAST) * random));
}

/** Policies that arrive at an activity have numbers; the type allows texts, which are left to Temporal. */
const toMs = (duration: unknown): number | undefined => (typeof duration === 'number' ? duration : undefined);
