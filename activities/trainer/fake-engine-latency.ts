import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom } from './fake-engine-policy.ts';

/** Milliseconds of the n-th piece of work (from 0) that makes or reads this many tokens. */
export type Delay = number | ((n: number, tokens: number) => number);

export interface Latency {
  sample?: Delay;
  /** forward and forward_backward. */
  pass?: Delay;
  step?: Delay;
  save?: Delay;
}

/** Counts the work of each kind and waits as long as it should take. */
export function createLatency(latency: Latency) {
  const counts = new Map<keyof Latency, number>();
  return async (kind: keyof Latency, tokens: number): Promise<void> => {
    const n = counts.get(kind) ?? 0;
    counts.set(kind, n + 1);
    const delay = latency[kind] ?? 0;
    const ms = typeof delay === 'number' ? delay : delay(n, tokens);
    if (ms > 0) await sleep(ms);
  };
}

/**
 * Log-normal times with this median: most are near it and a few are many times longer, as rollouts' are.
 * `sigma` 1 puts one in a hundred at about ten times the median. The n-th time depends on n and the seed only.
 */
export function longTail(medianMs: number, sigma: number, seed = 0): (n: number) => number {
  return (n) => {
    const random = createRandom(seed * 1_000_003 + n);
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    return medianMs * Math.exp(sigma * normal);
  };
}
