import {
  ApplicationFailure,
  CancellationScope,
  condition,
  executeChild,
  isCancellation,
  ParentClosePolicy,
  workflowInfo,
} from '@temporalio/workflow';
import type { TrainInput } from '../activities/trainer/plan.ts';
import type { EvaluationSummary } from '../activities/trainer/run.ts';
import { runIdOf } from '../domain/ids.ts';
import { type BatchDecision, closeBatch } from '../domain/rl/batch-close.ts';
import { groupId, groupIndex } from '../domain/rl/names.ts';
import { trainPlanning, trainStore } from './proxies.ts';
import type { evaluatePolicy } from './train-evaluate.ts';
import { type Groups, manageGroups } from './train-groups.ts';
import { freshState, lastStep, serveTraining, steerTraining, type TrainState } from './train-state.ts';
import { bringTo, giveBack } from './trainer.ts';

/** What the workflow returns: small; metrics, groups and checkpoints are in the store under the run's name. */
export interface TrainOutcome {
  runId: string;
  steps: number;
  reason: 'steps' | 'inputs_done' | 'stopped';
  trained: number;
  filtered: number;
  failed: number;
  expired: number;
  dev: EvaluationSummary | null;
}

/**
 * Trains a policy on its own rollouts (wideseek 4; asearcher 3). Groups run against the published policy and never more
 * than η versions ahead of it; a full batch becomes one step on a trainer's host; its weights are published, and agents
 * take them at their next turn. With η = 0 rollouts and steps alternate. `resumed` carries the run over continue-as-new.
 */
export async function train(input: TrainInput, resumed?: TrainState): Promise<TrainOutcome> {
  const steer = steerTraining();
  const state = resumed ?? (await start(input));
  const groups = manageGroups(state);
  steer({ state, touch: groups.touch });
  const { shouldContinueAsNew, continueAsNew } = serveTraining(state, input);
  groups.reattach();
  let reason: TrainOutcome['reason'] = 'steps';
  try {
    if (!resumed) await bringTo(state, state.step);
    if (!resumed && state.step === 0 && state.plan.training.evalStart) await evaluateIfDue(state);
    while (state.step < lastStep(state)) {
      if (shouldContinueAsNew()) return await continueAsNew();
      const decision = await nextBatch(state, groups);
      if (decision === null) break;
      await takeStep(state, decision);
      await evaluateIfDue(state);
    }
    if (state.step < state.plan.training.steps) reason = state.stopAfter === null ? 'inputs_done' : 'stopped';
  } catch (error) {
    await CancellationScope.nonCancellable(() =>
      end(state, groups, isCancellation(error) ? 'partial' : 'failed'),
    );
    throw error;
  }
  await end(state, groups, reason === 'steps' ? 'ok' : 'partial');
  const { plan, step, trained, filtered, failed, expired, dev } = state;
  return { runId: plan.runId, steps: step, reason, trained, filtered, failed, expired, dev };
}

async function start(input: TrainInput): Promise<TrainState> {
  const { workflowId } = workflowInfo();
  const { plan, state } = await trainPlanning.planTraining(input, runIdOf(workflowId), workflowId);
  if (plan.training === null)
    throw ApplicationFailure.nonRetryable('this configuration only collects', 'Internal');
  const full = { ...plan, training: plan.training };
  if (state === null) return freshState(full);
  const saved = state as TrainState;
  // A step that was under way is composed again as it was; what was decided for the last run is not for this one.
  return {
    ...saved,
    ...{ plan: full, ready: [...saved.training, ...saved.ready], training: [], lease: null },
    ...{ paused: false, stopAfter: null, closeRequested: false, barren: 0, outages: 0 },
    waitingSince: Date.now(),
  };
}

/** Waits until a batch closes, admitting groups meanwhile. Null: the questions are used up, and too few are left. */
async function nextBatch(
  state: TrainState,
  groups: Groups,
): Promise<Extract<BatchDecision, { kind: 'close' }> | null> {
  const { training } = state.plan;
  const { batchMinutes } = training;
  const watchMs = training.watchMinutes * 60_000;
  let deadline = batchMinutes === null ? Infinity : state.waitingSince + batchMinutes * 60_000;
  let watch = Date.now() + watchMs;
  state.phase = 'rollouts';
  for (;;) {
    if (state.step >= lastStep(state)) return null;
    groups.admit();
    const decision = closeBatch(
      {
        ready: state.ready.map(({ index, admittedAt }) => ({
          id: groupId(index),
          admittedAt,
          finished: index,
        })),
        running: groups.current(state.open).map(({ admittedAt }) => admittedAt),
        version: state.step,
        deadlinePassed: Date.now() >= deadline,
        closeRequested: state.closeRequested,
        inputsDone: groups.inputsDone(),
      },
      { groups: training.batchGroups, minGroups: training.minGroups, maxStaleness: training.maxStaleness },
    );
    if (decision.kind === 'close' && !state.paused) return decision;
    if (decision.kind === 'starved' && decision.inputsDone) return null;
    if (decision.kind === 'starved' && batchMinutes !== null) deadline = Date.now() + batchMinutes * 60_000;
    if (state.barren >= training.barrenGroups)
      throw ApplicationFailure.nonRetryable(
        `${state.barren} groups in a row taught nothing; the last one: ${state.note}`,
        'NoSignal',
      );
    const seen = groups.changes();
    const held = groups.heldUntil();
    const until = Math.min(watch, deadline, held === 0 ? Infinity : held);
    const changed = await condition(() => groups.changes() !== seen, Math.max(1, until - Date.now()));
    if (changed || Date.now() < watch) continue;
    // A long wait: the model may have been lost, and groups may have been ended from outside.
    await bringTo(state, state.step);
    groups.reattach();
    watch = Date.now() + watchMs;
  }
}

/** One step: the batch is fixed in the store, a trainer takes it, its weights are published. */
async function takeStep(
  state: TrainState,
  decision: Extract<BatchDecision, { kind: 'close' }>,
): Promise<void> {
  const { plan, step } = state;
  const waitMs = Math.max(0, Date.now() - state.waitingSince);
  const batch = await trainStore.composeBatch({
    ...{ plan, step, decision, waitMs },
    learningRate: state.learningRate,
  });
  const taken = new Set([...batch.groups, ...batch.expired].map(groupIndex));
  state.training = state.ready.filter(({ index }) => taken.has(index));
  state.ready = state.ready.filter(({ index }) => !taken.has(index));
  state.closeRequested = false;
  state.phase = 'training';

  const result = await bringTo(state, step + 1);
  const count = batch.groups.length;
  state.training = [];
  state.expired += batch.expired.length;
  if (result.kind === 'empty') {
    await trainStore.discardBatch(plan, step);
    state.filtered += count;
    state.barren += count;
    return;
  }
  state.step = step + 1;
  state.trained += count;
  state.stepMs = [...state.stepMs, Date.now() - state.waitingSince].slice(-10);
  state.waitingSince = Date.now();
  state.last = (await trainStore.recordProgress(plan, state, step)) ?? state.last;
}

async function evaluateIfDue(state: TrainState): Promise<void> {
  const { plan, step } = state;
  const { evalEvery, evaluation } = plan.training;
  if (evalEvery === null || evaluation === null || state.policy === null) return;
  if (step % evalEvery !== 0 && step !== lastStep(state)) return;
  if (state.dev?.step === step) return;
  state.phase = 'evaluating';
  state.dev = await executeChild<typeof evaluatePolicy>('evaluatePolicy', {
    workflowId: `${plan.workflowId}/eval-${step}`,
    args: [{ plan, step, policy: state.policy }],
    parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
  });
  state.waitingSince = Date.now();
}

async function end(state: TrainState, groups: Groups, status: 'ok' | 'partial' | 'failed'): Promise<void> {
  const { plan } = state;
  await groups.cancelOpen();
  await condition(() => state.open.length === 0, '1 minute');
  await giveBack(state, plan.runId, plan.training);
  state.phase = 'done';
  await trainStore.recordProgress(plan, state, null);
  await trainStore.finishTraining(plan.runId, status);
}
