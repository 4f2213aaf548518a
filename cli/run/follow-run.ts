import type { WorkflowHandle } from '@temporalio/client';
import type { Store } from '../../activities/store/port.ts';
import { type Progress, progressSchema, SEEK_HANDLERS } from '../../domain/run.ts';
import type { Io } from '../io.ts';
import { type End, follow, type Followable, type View } from './follow.ts';
import { type Outcome, readConclusion } from './outcome.ts';
import type { Session } from './session.ts';

/** How a question's run ended, with its stored result or without. */
export type RunEnd = End<Extract<Outcome, { kind: 'concluded' }>>;

/**
 * A run as `follow` sees it. The workflow counts a subagent's cost when its report is in; the budget knows it after
 * each call, so the greater of the two is shown.
 */
export const followableRun = (
  store: Pick<Store, 'budgets'>,
): Followable<Progress, Extract<Outcome, { kind: 'concluded' }>> => ({
  thing: 'run',
  query: SEEK_HANDLERS.progress,
  readProgress: async (reply) => {
    const progress = progressSchema.safeParse(reply).data;
    if (!progress) return null;
    const spent = await store.budgets.spent(progress.runId).catch(() => ({ microUsd: 0 }));
    const microUsd = Math.max(progress.usage.microUsd, spent.microUsd);
    return { ...progress, usage: { ...progress.usage, microUsd } };
  },
  readResult: readConclusion,
  cancelling: 'Cancelling; what was found so far is kept.',
  hint: 'Then watch it with `wideseek watch`',
  pollMs: 500,
});

/** Watches a question's run until it ends, see `follow`. */
export const followRun = (
  io: Io,
  session: Session,
  handle: WorkflowHandle,
  view: View<Progress>,
): Promise<{ end: RunEnd; interrupted: boolean }> =>
  follow(io, session, handle, followableRun(session.store), view);
