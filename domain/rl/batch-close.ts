/** A closed, usable group in the buffer. */
export interface ReadyGroup {
  id: string;
  /** Policy version current when the group was admitted. */
  admittedAt: number;
  /** Order in which groups finished, from 0. */
  finished: number;
}

export interface BatchPolicy {
  /** Groups of a full batch, B. */
  groups: number;
  /** Fewest groups that a deadline or an explicit close may train on. */
  minGroups: number;
  /** η: a group is trained at a version at most this far from its admission. Null: admission bound only. */
  maxStaleness: number | null;
}

export interface BatchState {
  ready: readonly ReadyGroup[];
  /** Versions at which the groups still running were admitted. */
  running: readonly number[];
  /** Version that the next step trains. */
  version: number;
  deadlinePassed: boolean;
  /** A person or a policy asked for the step now. */
  closeRequested: boolean;
  /** No further question will be admitted. */
  inputsDone: boolean;
}

export type BatchDecision =
  | { kind: 'wait'; for: 'groups' | 'expiring_groups'; missing: number }
  /** The deadline passed or the inputs ended with too little to train on: draw more questions, or end the run. */
  | { kind: 'starved'; ready: number; needed: number; inputsDone: boolean }
  | {
      kind: 'close';
      reason: 'count' | 'deadline' | 'explicit' | 'inputs_done';
      take: string[];
      /** Groups that are too old for the step; recorded, never trained on, never silently gone. */
      expired: string[];
    };

/**
 * Whether a batch closes now, why, and with which groups. Oldest admission first, then order of finishing, then id, so
 * the same buffer gives the same batch; the surplus stays for the next step (asearcher 3.3). With `maxStaleness` a step
 * waits for running groups that the next version would make too old: the bound then holds for what is trained, not only
 * at admission (asearcher 8.11), and no group expires as long as steps are full. A deadline ends that wait; what is then
 * too old for its step is reported as expired. A step never waits for groups that no wait could save.
 */
export function closeBatch(state: BatchState, policy: BatchPolicy): BatchDecision {
  const fresh = (admittedAt: number): boolean =>
    policy.maxStaleness === null || state.version - admittedAt <= policy.maxStaleness;
  const sorted = [...state.ready].sort(
    (a, b) => a.admittedAt - b.admittedAt || a.finished - b.finished || (a.id < b.id ? -1 : 1),
  );
  const usable = sorted.filter(({ admittedAt }) => fresh(admittedAt));
  const expired = sorted.filter(({ admittedAt }) => !fresh(admittedAt)).map(({ id }) => id);
  const take = usable.slice(0, policy.groups);
  const close = (reason: 'count' | 'deadline' | 'explicit' | 'inputs_done'): BatchDecision => ({
    kind: 'close',
    reason,
    take: take.map(({ id }) => id),
    expired,
  });
  const least = Math.max(1, policy.minGroups);
  const surplus = usable.slice(policy.groups).map(({ admittedAt }) => admittedAt);
  // Waiting saves running groups only: those that are here already and do not fit, after a batch that closed early, expire.
  const blocking =
    overdue([...surplus, ...state.running.filter(fresh)], state.version, policy) -
    overdue(surplus, state.version, policy);
  if (state.closeRequested && usable.length >= least) return close('explicit');
  if (state.deadlinePassed && usable.length >= least) return close('deadline');
  if (usable.length >= policy.groups && blocking === 0) return close('count');
  const ended = state.inputsDone && state.running.length === 0;
  if (ended && usable.length >= least) return close('inputs_done');
  if (ended || state.deadlinePassed)
    return { kind: 'starved', ready: usable.length, needed: least, inputsDone: ended };
  if (usable.length >= policy.groups) return { kind: 'wait', for: 'expiring_groups', missing: blocking };
  return { kind: 'wait', for: 'groups', missing: policy.groups - usable.length };
}

/**
 * How many of the groups left behind by a step at `version` could no longer be trained in time: those due within the next
 * k steps must fit into k full batches, for every k up to η (earliest deadline first).
 */
function overdue(left: readonly number[], version: number, { groups, maxStaleness }: BatchPolicy): number {
  if (maxStaleness === null) return 0;
  let most = 0;
  for (let steps = 0; steps <= maxStaleness; steps += 1) {
    const due = left.filter((admittedAt) => admittedAt + maxStaleness <= version + steps).length;
    most = Math.max(most, due - steps * groups);
  }
  return most;
}
