import { invalidInput } from '../errors.ts';

/**
 * Groups that may start now, as AReaL counts (asearcher 3.2): min(C_max − running, (η + v + 1)·B − (accepted + running)).
 * `accepted` counts groups finished and kept since version 0; it goes down again for a group rejected later, and after a
 * resume it must be `v·B`, or v·B groups too many are let in.
 */
export function referenceCapacity(state: {
  maxConcurrent: number;
  running: number;
  maxStaleness: number;
  version: number;
  batchGroups: number;
  accepted: number;
}): number {
  const { maxConcurrent, running, maxStaleness, version, batchGroups, accepted } = state;
  return Math.min(maxConcurrent - running, (maxStaleness + version + 1) * batchGroups - (accepted + running));
}

export interface AdmissionState {
  /** C_max: groups running at once over the whole fleet, not per worker. */
  maxConcurrent: number;
  /** η; 0 is synchronous training. */
  maxStaleness: number;
  /** B: groups of a full batch. */
  batchGroups: number;
  /** Groups admitted and not closed. */
  running: number;
  /** Closed, usable groups that no step has consumed. Rejected, filtered and expired groups are in neither count. */
  buffered: number;
  paused: boolean;
}

/**
 * Groups that may start now, at least 0: min(C_max − running, (η + 1)·B − buffered − running). Equal to the published
 * formula while every step consumes exactly B groups (accepted = v·B + buffered), and free of its faults (asearcher
 * 8.11): no counter to restore after a resume, rejected groups are replaced at once, a step closed early does not raise
 * the limit, and nothing is divided among workers, so no share rounds to 0.
 * Throws `InvalidInput` for limits under which nothing could ever start.
 */
export function capacity(state: AdmissionState): number {
  const { maxConcurrent, maxStaleness, batchGroups, running, buffered } = state;
  atLeast('maxConcurrent', maxConcurrent, 1);
  atLeast('batchGroups', batchGroups, 1);
  atLeast('maxStaleness', maxStaleness, 0);
  if (state.paused) return 0;
  const byStaleness = (maxStaleness + 1) * batchGroups - buffered - running;
  return Math.max(0, Math.min(maxConcurrent - running, byStaleness));
}

function atLeast(field: string, value: number, least: number): void {
  if (!Number.isInteger(value) || value < least)
    throw invalidInput(field, `${value} is not a whole number of at least ${least}`);
}
