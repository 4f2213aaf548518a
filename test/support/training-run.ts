import type { Client, WorkflowHandle } from '@temporalio/client';
import type { Store } from '../../activities/store/port.ts';
import { groupFates } from '../../activities/trainer/export.ts';
import { stepDocumentSchema, stepsOf } from '../../activities/trainer/records.ts';
import { TASK_QUEUE } from '../../domain/run.ts';
import type { TrainOutcome } from '../../workflows/train.ts';
import type { TrainProgress } from '../../workflows/train-state.ts';
import type { TrainingWorld } from './training.ts';

/** Starts `train/<run>` with the world's small settings and these. */
export const startTraining = (
  client: Client,
  world: Pick<TrainingWorld, 'set'>,
  run: string,
  set: Record<string, unknown> = {},
) =>
  client.workflow.start('train', {
    taskQueue: TASK_QUEUE,
    workflowId: `train/${run}`,
    args: [{ config: 'wideseek-r1-4b', set: { ...world.set, ...set } }],
  });

export const outcomeOf = (handle: WorkflowHandle) => handle.result() as Promise<TrainOutcome>;

/** Why a run failed, through all causes. */
export async function failureOf(handle: WorkflowHandle): Promise<string> {
  const parts: string[] = [];
  try {
    await handle.result();
  } catch (error) {
    for (let cause = error; cause instanceof Error; cause = cause.cause) parts.push(cause.message);
  }
  return parts.join(' ← ');
}

export const progressOf = (handle: WorkflowHandle) => handle.query<TrainProgress>('progress');

/** The run's finished steps, in order. */
export const stepsIn = async (store: Store, run: string) =>
  (await store.documents.list(stepsOf(run))).map(({ value }) => stepDocumentSchema.parse(value));

/** How each group ended, by id. */
export const fatesIn = async (store: Store, run: string) =>
  new Map((await groupFates(store, run)).map(({ id, fate }) => [id, fate]));
