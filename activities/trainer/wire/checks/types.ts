import type { Bench } from './bench.ts';

/** Facts about an engine; absent or null is what could not be found out. */
export interface Measured {
  reduction?: 'sum' | 'mean-of-means' | null;
  meanOver?: 'call' | 'step' | null;
  clip?: boolean | null;
  dualClip?: boolean | null;
  forward?: boolean | null;
  gradientNormClip?: boolean | null;
  adam?: 'all' | 'learning-rate' | null;
  /** The same seed gives the same tokens. */
  seeds?: boolean;
  promptLogprobs?: boolean;
  stopIds?: boolean;
  /** Older snapshots can be sampled while training goes on, and every snapshot keeps its own weights. */
  severalVersions?: boolean;
  /** Snapshots of a frozen copy of the model can be sampled while training goes on. */
  frozenCopies?: boolean;
  /** Arrays that are too short are refused by the engine itself. */
  refusesWrongLength?: boolean;
  /** Largest difference between the sampler's and the trainer's log-probs. */
  logprobDifference?: number;
  /** Largest difference of log-probs after the same step on a model and on its restored checkpoint. */
  restoreDifference?: number;
}

export interface Outcome {
  status: 'pass' | 'fail' | 'capability' | 'unsupported';
  /** What was measured, in words and numbers. */
  detail: string;
}

export interface CheckResult extends Outcome {
  id: string;
  title: string;
}

export interface Check {
  id: string;
  title: string;
  /** Measures; facts that others need go into `measured`. */
  run(bench: Bench, measured: Measured): Promise<Outcome>;
}

export const passIf = (ok: boolean, detail: string): Outcome => ({ status: ok ? 'pass' : 'fail', detail });

export const capability = (detail: string): Outcome => ({ status: 'capability', detail });

/** A number as it is written in a record. */
export const short = (value: number): string =>
  value === 0 || (Math.abs(value) >= 1e-3 && Math.abs(value) < 1e4)
    ? String(Number(value.toPrecision(4)))
    : value.toExponential(2);
