import {
  isGrpcServiceError,
  WorkflowFailedError,
  type WorkflowHandle,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { WideseekError } from '../../domain/errors.ts';
import type { EvaluationOutcome } from '../../domain/scoring/samples.ts';
import type { Io } from '../io.ts';
import { type Outcome, readFailure } from '../run/outcome.ts';
import type { Session } from '../run/session.ts';
import type { EvalView } from './progress.ts';

export const evalProgressSchema = z.object({
  runId: z.string(),
  done: z.number(),
  total: z.number(),
  running: z.number(),
  scored: z.number(),
  unscored: z.number(),
  paused: z.boolean(),
  meanScore: z.record(z.string(), z.number()),
});
export type EvalProgress = z.infer<typeof evalProgressSchema>;

const outcomeSchema = z.object({
  runId: z.string(),
  complete: z.boolean(),
  samples: z.number(),
  scored: z.number(),
  unscored: z.number(),
  headline: z.record(z.string(), z.number()),
  metricRef: z.string(),
});

const POLL_MS = 1_000;
const QUERY_MS = 5_000;
/** How long the server may be away before the command gives up watching; the evaluation itself is safe. */
const PATIENCE_MS = 120_000;

export type EvalEnd =
  | { kind: 'finished'; outcome: EvaluationOutcome }
  | Extract<Outcome, { kind: 'failed' }>
  | { kind: 'detached' };

const isOutage = (error: unknown): boolean => isGrpcServiceError(error) && [1, 4, 8, 14].includes(error.code); // cancelled, deadline, exhausted, unavailable

interface Watch {
  heardAt: number;
  over: boolean;
}

/** How the workflow ends, however often server and connection go away meanwhile. */
const awaitEnd = async (handle: WorkflowHandle, watch: Watch): Promise<EvalEnd> => {
  for (;;) {
    try {
      const parsed = outcomeSchema.safeParse(await handle.result());
      if (parsed.success) return { kind: 'finished', outcome: parsed.data };
      throw new WideseekError(
        'BadReply',
        'the workflow returned something that is not the end of an evaluation',
        {
          hint: 'Do worker and command have the same version?',
        },
      );
    } catch (error) {
      if (error instanceof WorkflowFailedError) return readFailure(error);
      if (error instanceof WorkflowNotFoundError) {
        throw new WideseekError('NotFound', `the Temporal server knows no workflow ${handle.workflowId}`);
      }
      if (!isOutage(error)) throw error;
      if (Date.now() - watch.heardAt > PATIENCE_MS) {
        throw new WideseekError(
          'Overloaded',
          'the Temporal server stayed away; the evaluation goes on when it is back',
          {
            cause: error,
          },
        );
      }
      await sleep(POLL_MS);
    }
  }
};

/** Where an evaluation stands; null while it cannot say. */
export const queryProgress = async (
  { client }: Pick<Session, 'client'>,
  handle: WorkflowHandle,
): Promise<EvalProgress | null> => {
  try {
    const reply: unknown = await client.withDeadline(Date.now() + QUERY_MS, () => handle.query('progress'));
    return evalProgressSchema.safeParse(reply).data ?? null;
  } catch {
    return null; // not started yet, busy, or away: the next poll asks again
  }
};

const poll = async (
  session: Session,
  handle: WorkflowHandle,
  view: EvalView,
  watch: Watch,
): Promise<void> => {
  for (; !watch.over; await sleep(POLL_MS)) {
    await session.revive();
    const progress = await queryProgress(session, handle);
    if (!progress) continue;
    watch.heardAt = Date.now();
    if (!watch.over) view.progress(progress);
  }
};

/**
 * Watches an evaluation until it ends. Ctrl-C once cancels it, and its scored samples are kept; twice leaves it to
 * itself. Throws `Overloaded` when the server stays away or was stopped, `NotFound` for an unknown workflow.
 */
export const followEvaluation = async (
  io: Io,
  session: Session,
  handle: WorkflowHandle,
  view: EvalView,
): Promise<{ end: EvalEnd; interrupted: boolean }> => {
  const watch: Watch = { heardAt: Date.now(), over: false };
  let interrupts = 0;
  let leave: () => void = () => undefined;
  const detached = new Promise<EvalEnd>((resolve) => (leave = () => resolve({ kind: 'detached' })));
  const stopListening = io.onInterrupt(() => {
    if (++interrupts > 1) return leave();
    view.note('Cancelling; scored samples are kept. Ctrl-C again leaves the evaluation to itself.');
    handle.cancel().catch((error: Error) => view.note(`Cancelling failed: ${error.message}`));
  });
  const finished = awaitEnd(handle, watch);
  const polling = poll(session, handle, view, watch);
  const stackLost = polling.then(() => finished);
  try {
    const end = await Promise.race([finished, detached, stackLost]);
    watch.over = true;
    if (end.kind === 'detached') session.abandonCalls();
    else await polling;
    return { end, interrupted: interrupts > 0 };
  } catch (error) {
    session.abandonCalls();
    throw error;
  } finally {
    watch.over = true;
    stopListening();
    view.end();
  }
};
