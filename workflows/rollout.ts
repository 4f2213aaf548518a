import {
  condition,
  defineQuery,
  executeChild,
  makeContinueAsNewFunc,
  ParentClosePolicy,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { TrainInput, TrainPlan } from '../activities/trainer/plan.ts';
import { runIdOf } from '../domain/ids.ts';
import { groupId } from '../domain/rl/names.ts';
import { trainPlanning, trainStore } from './proxies.ts';
import type { rolloutGroup } from './rollout-group.ts';

export interface RolloutState {
  plan: TrainPlan;
  next: number;
  scored: number;
  failed: number;
  running: number;
}
export interface RolloutProgress {
  runId: string;
  groups: number;
  done: number;
  running: number;
  scored: number;
  failed: number;
}
export const rolloutProgress = defineQuery<RolloutProgress>('progress');

/**
 * Collects groups of rollouts and trains on nothing: `{"config": "…"}`. Each group is stored as soon as it closes;
 * `wideseek rollout` exports them as JSON lines. The same run a second time with `resume` goes on.
 */
export async function rollout(input: TrainInput, resumed?: RolloutState): Promise<RolloutProgress> {
  const state = resumed ?? (await start(input));
  const { plan } = state;
  const groups = plan.groups ?? 0;
  setHandler(rolloutProgress, () => progressOf(state));
  const full = (): boolean =>
    workflowInfo().continueAsNewSuggested || workflowInfo().historyLength > plan.historyEvents;
  const running = new Set<Promise<void>>();

  while (state.next < groups && !full()) {
    await condition(() => running.size < plan.maxConcurrentGroups);
    const index = state.next++;
    const work = collect(state, index).finally(() => {
      running.delete(work);
      state.running = running.size;
    });
    running.add(work);
    state.running = running.size;
  }
  // Nothing is left running across continue-as-new, so that nobody has to be found again.
  await Promise.all(running);
  if (state.next < groups) return makeContinueAsNewFunc<typeof rollout>()(input, state);
  await trainStore.recordProgress(plan, state, null);
  await trainStore.finishTraining(plan.runId, state.failed === 0 ? 'ok' : 'partial');
  return progressOf(state);
}

async function start(input: TrainInput): Promise<RolloutState> {
  const { workflowId } = workflowInfo();
  const { plan, state } = await trainPlanning.planRollouts(input, runIdOf(workflowId), workflowId);
  if (state !== null) return { ...(state as RolloutState), plan };
  return { plan, next: 0, scored: 0, failed: 0, running: 0 };
}

async function collect(state: RolloutState, index: number): Promise<void> {
  const { plan } = state;
  const id = groupId(index);
  const report = await executeChild<typeof rolloutGroup>('rolloutGroup', {
    workflowId: `${plan.workflowId}/${id}`,
    parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
    args: [
      {
        ...{ plan, id, admittedAt: 0, samples: plan.groupSize, use: 'keep' },
        question: { set: 'train', at: index },
        ...{ pinned: null, temperature: null },
      },
    ],
  });
  state.scored += report.scored;
  state.failed += report.failed;
}

const progressOf = ({ plan, next, running, scored, failed }: RolloutState): RolloutProgress => ({
  ...{ runId: plan.runId, groups: plan.groups ?? 0, done: next - running, running, scored, failed },
});
