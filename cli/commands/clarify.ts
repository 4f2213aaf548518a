import { WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { invalidInput, WideseekError } from '../../domain/errors.ts';
import { type Clarification, SEEK_HANDLERS } from '../../domain/run.ts';
import { type Cli, command } from '../command.ts';
import { EXIT } from '../exit.ts';
import { type Io, say, tell } from '../io.ts';
import { findRun } from '../run/find-run.ts';
import { type Session, withSession, withStore } from '../run/session.ts';

/** Throws `NotFound` where the run has ended, `InvalidInput` where it refuses the answer. */
const reach = async <T>(workflowId: string, call: () => Promise<T>): Promise<T> => {
  try {
    return await call();
  } catch (cause) {
    if (cause instanceof WorkflowUpdateFailedError)
      throw invalidInput('answer', cause.cause?.message ?? 'was refused');
    if (!(cause instanceof WorkflowNotFoundError)) throw cause;
    const message = `the Temporal server has no running workflow ${workflowId}`;
    throw new WideseekError('NotFound', message, { cause });
  }
};

const clarify = async (io: Io, { client }: Session, workflowId: string, answer?: string): Promise<void> => {
  const handle = client.workflow.getHandle(workflowId);
  if (answer !== undefined) {
    const args: [string] = [answer];
    return tell(
      io,
      await reach(workflowId, () => handle.executeUpdate<string, [string]>(SEEK_HANDLERS.clarify, { args })),
    );
  }
  const asks = await reach(workflowId, () => handle.query<Clarification | null>(SEEK_HANDLERS.asks));
  if (!asks) return tell(io, 'The run has no open question.');
  say(io, asks.question);
  tell(io, `Without an answer by ${new Date(asks.until).toISOString()} it goes on with: ${asks.fallback}`);
};

/** `wideseek clarify` */
export const clarifyCommand = (io: Io, cli: Cli) =>
  command('clarify', 'Show the question that a running lead asks back, or answer it', [
    'wideseek clarify x7k2',
    'wideseek clarify x7k2 "The women’s teams"',
  ])
    .argument('<run>', 'the id of a run, or a part of it that only one run has')
    .argument('[answer]', 'the answer; without one, the question is shown')
    .action(async (name: string, answer: string | undefined) => {
      const run = await withStore(io, (store) => findRun(store, name));
      await withSession(io, {}, (session) => clarify(io, session, run.workflowId, answer));
      cli.done(EXIT.ok);
    });
