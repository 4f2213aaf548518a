import {
  isGrpcServiceError,
  WorkflowFailedError,
  WorkflowNotFoundError,
  type WorkflowHandle,
} from '@temporalio/client';
import { setTimeout as sleep } from 'node:timers/promises';
import { WideseekError } from '../../domain/errors.ts';
import type { Io } from '../io.ts';
import { type Outcome, readFailure } from './outcome.ts';
import type { Session } from './session.ts';

const QUERY_MS = 5_000;
/** How long the server may be away before the command gives up watching; the workflow itself is safe. */
const PATIENCE_MS = 120_000;

/** Shows something to a person while it goes on. */
export interface View<P> {
  progress(progress: P): void;
  /** A line that stays. */
  note(line: string): void;
  end(): void;
}

/** What is followed: a question, an evaluation, a training. */
export interface Followable<P, R> {
  /** For people: `run`, `evaluation`. */
  thing: string;
  /** Name of the progress query, and how its answer is read; null: not an answer. */
  query: string;
  readProgress: (reply: unknown) => P | null | Promise<P | null>;
  /** Reads what the workflow returned. Throws `BadReply` for something else. */
  readResult: (value: unknown) => R;
  /** Said at the first Ctrl-C. */
  cancelling: string;
  /** What a person can do when the server stayed away. */
  hint?: string;
  pollMs: number;
}

export type End<R> =
  { kind: 'finished'; outcome: R } | Extract<Outcome, { kind: 'failed' }> | { kind: 'detached' };

const isOutage = (error: unknown): boolean => isGrpcServiceError(error) && [1, 4, 8, 14].includes(error.code); // cancelled, deadline, exhausted, unavailable

/** What the watching parts share: when the server was last heard, and whether the watch is over. */
interface Watch {
  heardAt: number;
  over: boolean;
}

/** How the workflow ends, however often server and connection go away meanwhile. */
const awaitEnd = async <P, R>(
  handle: WorkflowHandle,
  what: Followable<P, R>,
  view: View<P>,
  watch: Watch,
): Promise<End<R>> => {
  for (;;) {
    try {
      return { kind: 'finished', outcome: what.readResult(await handle.result()) };
    } catch (error) {
      if (error instanceof WorkflowFailedError) return readFailure(error);
      if (error instanceof WorkflowNotFoundError) {
        throw new WideseekError('NotFound', `the Temporal server knows no workflow ${handle.workflowId}`);
      }
      if (!isOutage(error)) throw error;
      if (Date.now() - watch.heardAt > PATIENCE_MS) {
        throw new WideseekError(
          'Overloaded',
          `the Temporal server stayed away; the ${what.thing} goes on when it is back`,
          { hint: what.hint, cause: error },
        );
      }
      view.note('The Temporal server is away; waiting for it …');
      await sleep(1_000);
    }
  }
};

/** Where a workflow stands; null while it cannot say: not started yet, busy, or away. */
export const queryProgress = async <P, R>(
  { client }: Pick<Session, 'client'>,
  handle: WorkflowHandle,
  { query, readProgress }: Pick<Followable<P, R>, 'query' | 'readProgress'>,
): Promise<P | null> => {
  try {
    const reply: unknown = await client.withDeadline(Date.now() + QUERY_MS, () => handle.query(query));
    return await readProgress(reply);
  } catch {
    return null;
  }
};

/** Shows progress and starts again what died, until the watch is over. Throws when the stack cannot be had back. */
const poll = async <P, R>(
  session: Session,
  handle: WorkflowHandle,
  what: Followable<P, R>,
  view: View<P>,
  watch: Watch,
): Promise<void> => {
  for (; !watch.over; await sleep(what.pollMs)) {
    await session.revive(); // the client's own retries would hide a dead stack for a minute
    const progress = await queryProgress(session, handle, what);
    if (!progress) continue;
    watch.heardAt = Date.now();
    if (!watch.over) view.progress(progress);
  }
};

/**
 * Watches a workflow until it ends. Ctrl-C once cancels it, which keeps what it has; twice leaves it to itself and
 * returns `detached`. Throws `Overloaded` when the server stays away or was stopped, `NotFound` for an unknown workflow.
 */
export const follow = async <P, R>(
  io: Io,
  session: Session,
  handle: WorkflowHandle,
  what: Followable<P, R>,
  view: View<P>,
): Promise<{ end: End<R>; interrupted: boolean }> => {
  const watch: Watch = { heardAt: Date.now(), over: false };
  let interrupts = 0;
  let leave: () => void = () => undefined;
  const detached = new Promise<End<R>>((resolve) => (leave = () => resolve({ kind: 'detached' })));
  const stopListening = io.onInterrupt(() => {
    if (++interrupts > 1) return leave();
    view.note(`${what.cancelling} Ctrl-C again leaves the ${what.thing} to itself.`);
    handle.cancel().catch((error: Error) => view.note(`Cancelling failed: ${error.message}`));
  });
  const finished = awaitEnd(handle, what, view, watch);
  const polling = poll(session, handle, what, view, watch);
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
