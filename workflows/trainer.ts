import { ActivityFailure, TimeoutFailure } from '@temporalio/workflow';
import type { TrainToResult } from '../activities/trainer/step.ts';
import { type HostTimes, trainerOn, trainers } from './proxies.ts';
import type { TrainState } from './train-state.ts';

/** Hosts that may die on one step. */
const HOSTS = 20;

export interface LeaseHolder {
  lease: { host: string; queue: string } | null;
  note: string;
}

/**
 * Makes a call on a trainer's host, taking a lease first where there is none. A host that is dead, and is noticed by its
 * silence, loses its lease, and the call is made on the next one.
 */
export async function onTrainer<T>(
  holder: LeaseHolder,
  runId: string,
  call: (queue: string) => Promise<T>,
): Promise<T> {
  for (let host = 1; ; host += 1) {
    holder.lease ??= await trainers.acquireTrainer(runId);
    try {
      return await call(holder.lease.queue);
    } catch (error) {
      if (!isDead(error) || host === HOSTS) throw error;
      holder.note = `trainer ${holder.lease.host} is gone`;
      holder.lease = null;
    }
  }
}

/** Brings the model to `target` steps and publishes it; another host goes on from the last complete checkpoint. */
export async function bringTo(state: TrainState, target: number): Promise<TrainToResult> {
  const { plan } = state;
  const result = await onTrainer(state, plan.runId, (queue) =>
    trainerOn(queue, plan.training).trainTo.executeWithOptions({ summary: `step ${target}` }, [
      { plan, target },
    ]),
  );
  if (result.kind === 'done') state.policy = result.policy;
  return result;
}

/** Gives the host back; one that is gone has nothing to give. */
export async function giveBack(holder: LeaseHolder, runId: string, times: HostTimes): Promise<void> {
  const { lease } = holder;
  if (lease === null) return;
  holder.lease = null;
  await trainerOn(lease.queue, times)
    .releaseTrainer(runId)
    .catch(() => undefined);
}

/** Nobody serves the host's queue, or it stopped beating. */
const isDead = (error: unknown): boolean =>
  error instanceof ActivityFailure &&
  error.cause instanceof TimeoutFailure &&
  (error.cause.timeoutType === 'SCHEDULE_TO_START' || error.cause.timeoutType === 'HEARTBEAT');
