import type { WorkflowHandle } from '@temporalio/client';
import { invalidInput, WideseekError } from '../../domain/errors.ts';
import { TASK_QUEUE } from '../../domain/run.ts';
import { type EvaluateInput, evaluateInputSchema } from '../../domain/scoring/evaluation-plan.ts';
import type { Session } from '../run/session.ts';

export const evaluationWorkflowId = (runId: string): string => `eval/${runId}`;

/** Checks what was typed. Throws `InvalidInput` naming the field. */
export const checkEvaluateInput = (input: EvaluateInput): EvaluateInput => {
  const parsed = evaluateInputSchema.safeParse(input);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw invalidInput(issue?.path.join('.') || 'input', issue?.message ?? 'is wrong');
};

/** Starts an evaluation, or joins the one of this name that runs. */
export const startEvaluation = (
  { client }: Pick<Session, 'client'>,
  runId: string,
  input: EvaluateInput,
): Promise<WorkflowHandle> =>
  client.workflow.start('evaluate', {
    taskQueue: TASK_QUEUE,
    workflowId: evaluationWorkflowId(runId),
    workflowIdConflictPolicy: 'USE_EXISTING',
    args: [input],
    staticSummary: `evaluation ${input.config}`,
  });

/**
 * What an evaluation was started with, as Temporal remembers it: a resumed one must be the same. Null where its history
 * is gone.
 */
export const earlierInput = async (
  { client }: Pick<Session, 'client'>,
  runId: string,
): Promise<EvaluateInput | null> => {
  const execution = { workflowId: evaluationWorkflowId(runId) };
  const { namespace, loadedDataConverter } = client.options;
  try {
    const { history } = await client.workflowService.getWorkflowExecutionHistory({
      ...{ namespace, execution, maximumPageSize: 1 },
    });
    const payload = history?.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0];
    if (!payload) return null;
    const value: unknown = loadedDataConverter.payloadConverter.fromPayload(payload);
    return evaluateInputSchema.safeParse(value).data ?? null;
  } catch {
    return null; // unknown to this server
  }
};

/** Pauses or unpauses a running evaluation. Throws `NotFound` where none of this name runs. */
export const setPaused = async (
  { client }: Pick<Session, 'client'>,
  runId: string,
  paused: boolean,
): Promise<string> => {
  const handle = client.workflow.getHandle(evaluationWorkflowId(runId));
  try {
    return await handle.executeUpdate<string, []>(paused ? 'pause' : 'unpause');
  } catch (cause) {
    throw new WideseekError('NotFound', `no evaluation ${runId} is running`, { cause });
  }
};
