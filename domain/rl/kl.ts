export type KlKind = 'k1' | 'k2' | 'k3';

/** Reference code's clamps of k3: the log ratio in ±20, the estimate in ±10 (wideseek 4.6). */
const LOG_RATIO_LIMIT = 20;
const ESTIMATE_LIMIT = 10;

const clamp = (value: number, limit: number): number => Math.min(limit, Math.max(-limit, value));

/**
 * Estimate of KL(policy ‖ reference) from one token (wideseek 4.6), d = reference − policy log-prob, clamped to ±20:
 * k1 = −d, k2 = d²/2, k3 = e^d − d − 1 clamped to ±10.
 */
export function klEstimate(kind: KlKind, policy: number, reference: number): number {
  const d = clamp(reference - policy, LOG_RATIO_LIMIT);
  if (kind === 'k1') return -d;
  return kind === 'k2' ? d ** 2 / 2 : clamp(Math.exp(d) - d - 1, ESTIMATE_LIMIT);
}

/**
 * Derivative by the policy's log-prob that a KL penalty puts on one token. k2 and k3: of the estimate itself, 0 where it
 * is clamped. k1's own derivative is the constant 1, whose expectation is 0, so k1 uses the score-function form −d. In
 * expectation over the policy k1 and k2 give the gradient of KL(policy ‖ reference), k3 that of KL(reference ‖ policy).
 */
export function klGradient(kind: KlKind, policy: number, reference: number): number {
  const d = reference - policy;
  if (kind === 'k1') return -clamp(d, LOG_RATIO_LIMIT);
  if (Math.abs(d) > LOG_RATIO_LIMIT) return 0;
  if (kind === 'k2') return -d;
  return Math.exp(d) - d - 1 > ESTIMATE_LIMIT ? 0 : 1 - Math.exp(d);
}
