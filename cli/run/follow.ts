import {
  isGrpcServiceError,
  WorkflowFailedError,
  WorkflowNotFoundError,
  type WorkflowHandle,
} from '@temporalio/client';
import { setTimeout as sleep } from 'node:timers/promises';
import { WideseekError } from '../../domain/errors.ts';
import { type Progress, progressSchema, SEEK_HANDLERS } from '../../domain/run.ts';
import { type Io } from '../io.ts';
import { type Outcome, readConclusion, readFailure } from './outcome.ts';
import type { Session } from './session.ts';

const POLL_MS = 500;
const QUERY_MS = 5_000;
/** How long the server may be away before the command gives up watching; the run itself is safe. */
const PATIENCE_MS = 120_000;

/** Shows a run to a person while it goes on. */
export interface View {
  progress(progress: Progress): void;
  /** A line that stays. */
  note(line: string): void;
  end(): void;
}

export type Followed = { end: 'finished'; outcome: Outcome } | { end: 'detached' };

const isOutage = (error: unknown): boolean => isGrpcServiceError(error) && [1, 4, 8, 14].includes(error.code); // cancelled, deadline, exhausted, unavailable

/** What the watching parts share: when the server was last heard, and whether the watch is over. */
interface Watch {
  heardAt: number;
  over: boolean;
}

/** The workflow's outcome, however often server and connection go away meanwhile. */
const awaitOutcome = async (handle: WorkflowHandle, view: View, watch: Watch): Promise<Outcome> => {
  for (;;) {
    try {
      return readConclusion(await handle.result());
    } catch (error) {
      if (error instanceof WorkflowFailedError) return readFailure(error);
      if (error instanceof WorkflowNotFoundError) {
        throw new WideseekError('NotFound', `the Temporal server knows no workflow ${handle.workflowId}`);
      }
      if (!isOutage(error)) throw error;
      if (Date.now() - watch.heardAt > PATIENCE_MS) {
        throw new WideseekError(
          'Overloaded',
          'the Temporal server stayed away; the run goes on when it is back',
          { hint: 'Then watch it with `wideseek watch`', cause: error },
        );
      }
      view.note('The Temporal server is away; waiting for it …');
      await sleep(1_000);
    }
  }
};

const queryProgress = async (session: Session, handle: WorkflowHandle): Promise<Progress | null> => {
  try {
    const deadline = Date.now() + QUERY_MS;
    const reply = await session.client.withDeadline(deadline, () => handle.query(SEEK_HANDLERS.progress));
    return progressSchema.safeParse(reply).data ?? null;
  } catch {
    return null; // not started yet, busy, or away: the next poll asks again
  }
};

/** Shows progress and starts again what died, until the watch is over. Throws when the stack cannot be had back. */
const poll = async (session: Session, handle: WorkflowHandle, view: View, watch: Watch): Promise<void> => {
  for (; !watch.over; await sleep(POLL_MS)) {
    await session.revive(); // the client's own retries would hide a dead stack for a minute
    const progress = await queryProgress(session, handle);
    if (!progress) continue;
    watch.heardAt = Date.now();
    if (!watch.over) view.progress(progress);
  }
};

/**
 * Watches a run until it ends. Ctrl-C once cancels the run, which keeps what was found; twice leaves it to itself
 * and returns `detached`. Throws `Overloaded` when the server stays away or was stopped, `NotFound` for an unknown
 * workflow.
 */
export const followRun = async (
  io: Io,
  session: Session,
  handle: WorkflowHandle,
  view: View,
): Promise<Followed & { interrupted: boolean }> => {
  const watch: Watch = { heardAt: Date.now(), over: false };
  let interrupts = 0;
  let leave: () => void = () => undefined;
  const detached = new Promise<Followed>((resolve) => (leave = () => resolve({ end: 'detached' })));
  const stopListening = io.onInterrupt(() => {
    if (++interrupts > 1) return leave();
    view.note('Cancelling; what was found so far is kept. Ctrl-C again leaves the run to itself.');
    handle.cancel().catch((error: Error) => view.note(`Cancelling failed: ${error.message}`));
  });
  const outcome = awaitOutcome(handle, view, watch);
  const finished = outcome.then((outcome): Followed => ({ end: 'finished', outcome }));
  const polling = poll(session, handle, view, watch);
  const stackLost = polling.then(() => finished);
  try {
    const followed = await Promise.race([finished, detached, stackLost]);
    watch.over = true;
    if (followed.end === 'detached') session.abandonCalls();
    else await polling;
    return { ...followed, interrupted: interrupts > 0 };
  } catch (error) {
    session.abandonCalls();
    throw error;
  } finally {
    watch.over = true;
    stopListening();
    view.end();
  }
};
