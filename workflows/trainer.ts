import { ActivityFailure, TimeoutFailure } from '@temporalio/workflow';
import type { TrainToResult } from '../activities/trainer/step.ts';
import { trainerOn, trainers } from './proxies.ts';
import type { TrainState } from './train-state.ts';

/** Hosts that may die on one step. */
const HOSTS = 20;

/**
 * Brings the model to `target` steps on a trainer's host and publishes it. A host that is dead, and is noticed by its
 * silence, loses its lease; the next one goes on from the last complete checkpoint.
 */
export async function bringTo(state: TrainState, target: number): Promise<TrainToResult> {
  const { plan } = state;
  for (let host = 1; ; host += 1) {
    state.lease ??= await trainers.acquireTrainer(plan.runId);
    try {
      const result = await trainerOn(state.lease.queue, plan.training).trainTo.executeWithOptions(
        { summary: `step ${target}` },
        [{ plan, target }],
      );
      if (result.kind === 'done') state.policy = result.policy;
      return result;
    } catch (error) {
      if (!isDead(error) || host === HOSTS) throw error;
      state.note = `trainer ${state.lease.host} is gone`;
      state.lease = null;
    }
  }
}

/** Gives the host back; one that is gone has nothing to give. */
export async function giveBack(state: TrainState): Promise<void> {
  const { lease, plan } = state;
  if (lease === null) return;
  state.lease = null;
  await trainerOn(lease.queue, plan.training)
    .releaseTrainer(plan)
    .catch(() => undefined);
}

/** Nobody serves the host's queue, or it stopped beating. */
const isDead = (error: unknown): boolean =>
  error instanceof ActivityFailure &&
  error.cause instanceof TimeoutFailure &&
  (error.cause.timeoutType === 'SCHEDULE_TO_START' || error.cause.timeoutType === 'HEARTBEAT');
