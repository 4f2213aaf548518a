import type { WorkflowHandle } from '@temporalio/client';
import { trainInputSchema, type TrainInput } from '../../activities/trainer/plan.ts';
import { invalidInput, WideseekError } from '../../domain/errors.ts';
import { runIdOf } from '../../domain/ids.ts';
import { type RunRecord, TASK_QUEUE } from '../../domain/run.ts';
import type { Session } from '../run/session.ts';
import type { TrainKind } from './follow.ts';

/** A run's names: `train/<name>` in Temporal, `train-<name>` in the store. */
export interface RunName {
  runId: string;
  workflowId: string;
}

/** The names of a run of this kind that is called `name`. */
export const trainRunName = (kind: TrainKind, name: string): RunName => {
  const workflowId = `${kind}/${name}`;
  return { runId: runIdOf(workflowId), workflowId };
};

/** Which workflow a record of the list belongs to. Throws `InvalidInput` for a run that is no training. */
export const trainKindOf = ({ runId, kind, workflowId }: RunRecord): TrainKind => {
  const type = workflowId.split('/')[0];
  if (kind === 'train' && (type === 'train' || type === 'sft' || type === 'rollout')) return type;
  throw invalidInput('run', `${runId} is no training`, '`wideseek runs` lists runs');
};

/**
 * Starts a run, or joins the one of this name that runs. It is in the list before it starts, so that `watch` and `train
 * pause` find it while no worker has taken it yet; the worker writes the record again with what it resolved.
 */
export const startTraining = async (
  { client, store }: Pick<Session, 'client' | 'store'>,
  kind: TrainKind,
  { runId, workflowId }: RunName,
  input: TrainInput,
  now: number,
): Promise<WorkflowHandle> => {
  const known = await store.runs.get(runId);
  const record: RunRecord = {
    ...{ runId, kind: 'train', workflowId, title: `${kind} ${input.config}`, config: input.config },
    ...{ status: 'running', stopReason: null, startedAt: now, finishedAt: null, resultRef: null },
  };
  if (!known) await store.runs.save(record);
  try {
    return await client.workflow.start(kind, {
      taskQueue: TASK_QUEUE,
      workflowId,
      workflowIdConflictPolicy: 'USE_EXISTING',
      args: [input],
      staticSummary: `${kind} ${input.config}`,
    });
  } catch (error) {
    if (!known) await store.runs.save({ ...record, status: 'failed', finishedAt: now });
    throw error;
  }
};

/**
 * What a run was started with, as Temporal remembers it: a resumed one must be the same. Null where its history is gone.
 */
export const earlierTrainInput = async (
  { client }: Pick<Session, 'client'>,
  workflowId: string,
): Promise<TrainInput | null> => {
  const { namespace, loadedDataConverter } = client.options;
  try {
    const { history } = await client.workflowService.getWorkflowExecutionHistory({
      ...{ namespace, execution: { workflowId }, maximumPageSize: 1 },
    });
    const payload = history?.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0];
    if (!payload) return null;
    return trainInputSchema.safeParse(loadedDataConverter.payloadConverter.fromPayload(payload)).data ?? null;
  } catch {
    return null; // unknown to this server
  }
};

/** What a person may tell a running training, and the update that carries it. */
export type Order =
  | { update: 'pause' | 'resume' | 'closeBatchNow' }
  | { update: 'stopAfterStep'; step?: number }
  | { update: 'setLearningRate'; rate: number | null };

/** Sends an order and returns what the training says to it. Throws `NotFound` where none of this name runs. */
export const orderTraining = async (
  { client }: Pick<Session, 'client'>,
  { runId, workflowId }: RunName,
  order: Order,
): Promise<string> => {
  const handle = client.workflow.getHandle(workflowId);
  const value =
    order.update === 'stopAfterStep'
      ? order.step
      : order.update === 'setLearningRate'
        ? order.rate
        : undefined;
  try {
    if (value === undefined) return await handle.executeUpdate<string, []>(order.update);
    return await handle.executeUpdate<string, [number | null]>(order.update, { args: [value] });
  } catch (cause) {
    const reason = (cause as { cause?: Error }).cause?.message;
    if (order.update === 'setLearningRate' && reason?.includes('learning rate'))
      throw invalidInput('rate', reason);
    throw new WideseekError('NotFound', `no training ${runId} is running`, {
      hint: '`wideseek runs` lists runs',
      cause,
    });
  }
};
