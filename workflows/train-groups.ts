import {
  CancellationScope,
  ChildWorkflowFailure,
  getExternalWorkflowHandle,
  ParentClosePolicy,
  patched,
  setHandler,
  startChild,
  WorkflowIdReusePolicy,
} from '@temporalio/workflow';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import type { GroupReport } from '../activities/trainer/group.ts';
import { capacity } from '../domain/rl/admission.ts';
import { groupId, groupIndex } from '../domain/rl/names.ts';
import { describe } from './agent.ts';
import { groupStore } from './proxies.ts';
import { groupClosed, type rolloutGroup } from './rollout-group.ts';
import { type AdmittedGroup, lastStep, type TrainState } from './train-state.ts';

/** Milliseconds that admission holds when everything breaks; doubles with each further failure. */
const HOLD_MS = { first: 1_000, most: 600_000 };

export interface Groups {
  /** Starts as many groups as capacity allows. */
  admit: () => void;
  /** Takes up again what may have closed, or died, while nobody listened. */
  reattach: () => void;
  /** Those that a step can still take: not more than η versions behind. The others expire when a batch closes. */
  current: (groups: readonly AdmittedGroup[]) => readonly AdmittedGroup[];
  /** Counts changes, so that a wait can end at the next one. */
  changes: () => number;
  touch: () => void;
  /** Until when nothing is admitted because everything breaks; 0: now. */
  heldUntil: () => number;
  /** No further question will be admitted. */
  inputsDone: () => boolean;
  /** Ends what still runs; each such group is recorded as cancelled. */
  cancelOpen: () => Promise<void>;
}

/**
 * Starts groups and hears how they end. Groups are children that live on when this run of the workflow ends: they signal
 * by workflow id, so the next run hears them, and their reports are in the store for one that was not there to hear.
 */
export function manageGroups(state: TrainState): Groups {
  const { plan } = state;
  const attached = new Set<number>();
  const scope = new CancellationScope();
  let changes = 0;
  let held = 0;
  let ending = false;

  // Until then they kept the places of those that would replace them, and a run could wait for itself.
  const placesAreFreed = patched('expired-groups-free-their-places');
  const current: Groups['current'] = (groups) =>
    placesAreFreed
      ? groups.filter(({ admittedAt }) => state.step - admittedAt <= plan.training.maxStaleness)
      : groups;

  /** Groups that the steps to come can still use. */
  const wanted = (): number =>
    (lastStep(state) - state.step) * plan.training.batchGroups -
    (state.training.length + current(state.ready).length + current(state.open).length);

  const admit = (): void => {
    if (ending || Date.now() < held) return;
    const { maxStaleness, batchGroups } = plan.training;
    for (;;) {
      const running = current(state.open).length;
      const maxConcurrent = plan.maxConcurrentGroups - (state.open.length - running);
      if (maxConcurrent <= 0) return;
      const free = capacity({
        ...{ maxConcurrent, maxStaleness, batchGroups, running },
        // A batch that is being trained is of this version until its step ends.
        buffered: current(state.ready).length + state.training.length,
        paused: state.paused,
      });
      if (free <= 0 || wanted() <= 0) return;
      if (plan.groups !== null && state.next >= plan.groups) return;
      const group = { index: state.next, admittedAt: state.step };
      state.next += 1;
      state.open.push(group);
      void scope.run(() => attach(group));
    }
  };

  const settle = (report: GroupReport): void => {
    const index = groupIndex(report.id);
    const group = state.open.find((one) => one.index === index);
    // Heard already: signals and reports may both come.
    if (!group) return;
    state.open = state.open.filter((one) => one !== group);
    if (report.usable) {
      state.ready.push(group);
      Object.assign(state, { barren: 0, outages: 0 });
    } else {
      const broke = report.failed > 0 && report.scored < plan.minScored;
      state.barren += 1;
      state.outages = broke ? state.outages + 1 : 0;
      if (broke) state.failed += 1;
      else state.filtered += 1;
      state.note = `${report.id}: ${report.reason}`.slice(0, 300);
      const excess = state.outages - plan.training.batchGroups;
      if (excess >= 0) held = Date.now() + Math.min(HOLD_MS.most, HOLD_MS.first * 2 ** Math.min(20, excess));
    }
    changes += 1;
    admit();
  };

  const begin = ({ index, admittedAt }: AdmittedGroup, workflowIdReusePolicy: WorkflowIdReusePolicy) =>
    startChild<typeof rolloutGroup>('rolloutGroup', {
      workflowId: `${plan.workflowId}/${groupId(index)}`,
      workflowIdReusePolicy,
      parentClosePolicy: ParentClosePolicy.ABANDON,
      args: [
        {
          ...{ plan, id: groupId(index), admittedAt, samples: plan.groupSize, use: 'train' },
          question: { set: 'train', at: index },
          ...{ pinned: null, temperature: null },
        },
      ],
    });

  /** Starts a group, or finds its report, or finds it running: then its signal will come. Null: it runs. */
  async function reportOf(group: AdmittedGroup): Promise<GroupReport | null> {
    try {
      const child = await begin(group, WorkflowIdReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY);
      return await child.result();
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
    const report = await groupStore.groupReport(plan.runId, groupId(group.index));
    if (report) return report;
    try {
      // It has ended in a store that is gone, or it runs.
      const child = await begin(group, WorkflowIdReusePolicy.ALLOW_DUPLICATE);
      return await child.result();
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      return null;
    }
  }

  /** A group that was ended from outside is recorded as failed: none is gone without a trace. */
  async function attach(group: AdmittedGroup): Promise<void> {
    const { index, admittedAt } = group;
    if (attached.has(index)) return;
    attached.add(index);
    try {
      const report = await reportOf(group);
      if (report) settle(report);
      else attached.delete(index);
    } catch (error) {
      const reason = describe(error instanceof ChildWorkflowFailure ? error.cause : error);
      const report = await CancellationScope.nonCancellable(() =>
        groupStore.recordGroup({
          group: { plan, id: groupId(index), admittedAt, use: 'train' },
          ...{
            questionId: `question ${index}`,
            closed: 'all_failed',
            unusable: 'too_few_scored',
            rollouts: [],
          },
          excluded: Array.from({ length: plan.groupSize }, (_, sample) => ({ sample, reason })),
        }),
      );
      settle(report);
    }
  }

  setHandler(groupClosed, settle);
  return {
    admit,
    current,
    reattach: () => {
      for (const group of state.open) void scope.run(() => attach(group));
    },
    changes: () => changes,
    touch: () => void (changes += 1),
    heldUntil: () => (held > Date.now() ? held : 0),
    inputsDone: () => plan.groups !== null && state.next >= plan.groups,
    cancelOpen: async () => {
      ending = true;
      scope.cancel();
      await Promise.all(
        state.open
          .filter(({ index }) => !attached.has(index))
          .map(({ index }) =>
            getExternalWorkflowHandle(`${plan.workflowId}/${groupId(index)}`)
              .cancel()
              .catch(() => undefined),
          ),
      );
    },
  };
}
