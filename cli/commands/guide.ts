import { WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { invalidInput, WideseekError } from '../../domain/errors.ts';
import { SEEK_HANDLERS } from '../../domain/run.ts';
import { type Cli, command } from '../command.ts';
import { EXIT } from '../exit.ts';
import { type Io, tell } from '../io.ts';
import { findRun } from '../run/find-run.ts';
import { type Session, withSession, withStore } from '../run/session.ts';

/** Hands guidance to a running lead. Throws `InvalidInput` where the run refuses it, `NotFound` where it has ended. */
async function guide(session: Session, workflowId: string, text: string): Promise<string> {
  try {
    const handle = session.client.workflow.getHandle(workflowId);
    return await handle.executeUpdate<string, [string]>(SEEK_HANDLERS.guide, { args: [text] });
  } catch (cause) {
    if (cause instanceof WorkflowUpdateFailedError)
      throw invalidInput('text', cause.cause?.message ?? 'was refused');
    if (!(cause instanceof WorkflowNotFoundError)) throw cause;
    throw new WideseekError('NotFound', `the Temporal server has no running workflow ${workflowId}`, {
      cause,
    });
  }
}

/** `wideseek guide` */
export const guideCommand = (io: Io, cli: Cli) =>
  command('guide', 'Give a running lead a hint; it reads it in its next turn', [
    'wideseek guide x7k2 "Prefer the official site; leave out dependencies"',
  ])
    .argument('<run>', 'the id of a run, or a part of it that only one run has')
    .argument('<text>', 'what the lead should take into account')
    .action(async (name: string, text: string) => {
      const run = await withStore(io, (store) => findRun(store, name));
      tell(io, await withSession(io, {}, (session) => guide(session, run.workflowId, text)));
      cli.done(EXIT.ok);
    });
