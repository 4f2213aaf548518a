import type { WorkflowHandle } from '@temporalio/client';
import { randomUUID } from 'node:crypto';
import { WideseekError } from '../../domain/errors.ts';
import { type ResetEvent, resetPoint } from './reset-point.ts';
import type { Session } from './session.ts';

type Event = NonNullable<Awaited<ReturnType<WorkflowHandle['fetchHistory']>>['events']>[number];
/** `temporal.api.enums.v1.ResetReapplyExcludeType`: requests to cancel are not repeated after the reset. */
const WITHOUT_CANCEL_REQUESTS = 4;

const toResetEvent = (event: Event): ResetEvent[] => {
  const id = Number(event.eventId);
  const activity = event.activityTaskScheduledEventAttributes;
  const child = event.startChildWorkflowExecutionInitiatedEventAttributes;
  const marker = event.markerRecordedEventAttributes;
  const activityFailed = event.activityTaskFailedEventAttributes ?? event.activityTaskTimedOutEventAttributes;
  const childFailed =
    event.childWorkflowExecutionFailedEventAttributes ??
    event.childWorkflowExecutionTimedOutEventAttributes ??
    event.childWorkflowExecutionTerminatedEventAttributes ??
    event.startChildWorkflowExecutionFailedEventAttributes;
  const childEnded =
    event.childWorkflowExecutionCompletedEventAttributes ??
    event.childWorkflowExecutionCanceledEventAttributes;
  if (event.workflowTaskCompletedEventAttributes) return [{ kind: 'task', id }];
  if (activity) return [{ kind: 'activity', id, task: Number(activity.workflowTaskCompletedEventId) }];
  if (child) return [{ kind: 'child', id, task: Number(child.workflowTaskCompletedEventId) }];
  if (activityFailed) return [{ kind: 'failed', work: Number(activityFailed.scheduledEventId) }];
  if (childFailed) return [{ kind: 'failed', work: Number(childFailed.initiatedEventId) }];
  if (childEnded) return [{ kind: 'ended', work: Number(childEnded.initiatedEventId) }];
  if (marker?.failure) return [{ kind: 'failedLocally', task: Number(marker.workflowTaskCompletedEventId) }];
  if (event.workflowExecutionCancelRequestedEventAttributes) return [{ kind: 'cancelRequested', id }];
  return [];
};

/**
 * Continues a closed, unfinished workflow from where it stood: a reset, which opens a new run of the same workflow
 * id with the history so far. Throws `InvalidInput` when there is nothing to continue.
 */
export const resumeWorkflow = async (session: Session, workflowId: string): Promise<void> => {
  const { client } = session;
  const handle = client.workflow.getHandle(workflowId);
  const description = await handle.describe();
  const { events } = await handle.fetchHistory();
  const point = resetPoint((events ?? []).flatMap(toResetEvent), description.status.name === 'FAILED');
  const event = events?.find(({ eventId }) => Number(eventId) === point);
  if (!event) {
    throw new WideseekError('InvalidInput', `run: ${workflowId} ended before it did anything`, {
      hint: 'Ask the question again',
    });
  }
  await client.workflowService.resetWorkflowExecution({
    namespace: client.options.namespace,
    workflowExecution: { workflowId, runId: description.runId },
    reason: 'wideseek resume',
    workflowTaskFinishEventId: event.eventId,
    requestId: randomUUID(),
    resetReapplyExcludeTypes: [WITHOUT_CANCEL_REQUESTS],
  });
};
