import type { FilterConfig, NoSignal } from './filter.ts';
import { noSignal } from './filter.ts';

/** Where one sample of a group stands. */
export type SampleState =
  | { kind: 'running' }
  | { kind: 'scored'; reward: number }
  /** The answer exists, the judge did not come: only judging is repeated. */
  | { kind: 'unscored'; reason: string; attempts: number }
  /** The rollout broke. `permanent`: another attempt meets the same failure. */
  | { kind: 'failed'; reason: string; attempts: number; permanent: boolean };

export interface GroupPolicy {
  /** Attempts of a rollout or of its judging, the first one included. */
  maxAttempts: number;
  /** Fewer scored rollouts than this make the group useless; a group statistic needs 2. */
  minScored: number;
  filter: FilterConfig;
}

export interface Retry {
  sample: number;
  what: 'rollout' | 'judging';
}

export interface Excluded {
  sample: number;
  reason: string;
}

export type GroupDecision =
  | { kind: 'wait' }
  | { kind: 'retry'; retries: Retry[] }
  | {
      kind: 'close';
      /** `deadline`: closed with samples still running, which the caller must cancel. */
      reason: 'complete' | 'partial' | 'deadline' | 'all_failed';
      scored: number[];
      excluded: Excluded[];
      /** Null: the group can be trained on. */
      unusable: NoSignal | null;
    };

/**
 * What to do with a group now (R-04, R-12; a failed rollout is tried again, since skipping it biases the group).
 * Retries come as soon as a sample needs one, while others still run. An outage never becomes a reward: samples that stay
 * unscored or failed are excluded by name. Every group ends in `close` with a reason; none is dropped silently.
 */
export function closeGroup(
  samples: readonly SampleState[],
  policy: GroupPolicy,
  now: { deadlinePassed: boolean },
): GroupDecision {
  if (!now.deadlinePassed) {
    const retries = samples.flatMap((state, sample) => retryOf(state, sample, policy.maxAttempts));
    if (retries.length > 0) return { kind: 'retry', retries };
    if (samples.some(({ kind }) => kind === 'running')) return { kind: 'wait' };
  }
  const scored = samples.flatMap((state, sample) => (state.kind === 'scored' ? [sample] : []));
  const excluded = samples.flatMap((state, sample): Excluded[] => {
    if (state.kind === 'scored') return [];
    const reason = state.kind === 'running' ? 'deadline' : `${state.kind}: ${state.reason}`;
    return [{ sample, reason }];
  });
  const rewards = samples.flatMap((state) => (state.kind === 'scored' ? [state.reward] : []));
  const unusable =
    scored.length < Math.max(2, policy.minScored) ? 'too_few_scored' : noSignal(rewards, policy.filter);
  return { kind: 'close', reason: closeReason(samples, scored.length), scored, excluded, unusable };
}

function retryOf(state: SampleState, sample: number, maxAttempts: number): Retry[] {
  if (state.kind === 'unscored') return state.attempts < maxAttempts ? [{ sample, what: 'judging' }] : [];
  if (state.kind !== 'failed' || state.permanent || state.attempts >= maxAttempts) return [];
  return [{ sample, what: 'rollout' }];
}

function closeReason(
  samples: readonly SampleState[],
  scored: number,
): 'complete' | 'partial' | 'deadline' | 'all_failed' {
  if (samples.some(({ kind }) => kind === 'running')) return 'deadline';
  if (scored === 0) return 'all_failed';
  return scored === samples.length ? 'complete' : 'partial';
}
