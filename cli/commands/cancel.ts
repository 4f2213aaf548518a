import { WorkflowNotFoundError } from '@temporalio/client';
import { WideseekError } from '../../domain/errors.ts';
import { type Cli, command } from '../command.ts';
import { EXIT } from '../exit.ts';
import { type Io, sayJson, tell } from '../io.ts';
import { findRun } from '../run/find-run.ts';
import { finishRun } from '../run/finish.ts';
import { type Session, withSession, withStore } from '../run/session.ts';
import { watchTraining } from '../train/end.ts';

const requestCancel = async (session: Session, workflowId: string): Promise<void> => {
  try {
    await session.client.workflow.getHandle(workflowId).cancel();
  } catch (cause) {
    if (!(cause instanceof WorkflowNotFoundError)) throw cause;
    throw new WideseekError('NotFound', `the Temporal server has no running workflow ${workflowId}`, {
      cause,
    });
  }
};

/** `wideseek cancel` */
export const cancelCommand = (io: Io, cli: Cli) =>
  command('cancel', 'Stop a run and keep what it has found so far', ['wideseek cancel x7k2'])
    .argument('<run>', 'the id of a run, or a part of it that only one run has')
    .option('--json', 'print exactly one JSON object on stdout: the whole result')
    .action(async (name: string, options: { json?: boolean }) => {
      const run = await withStore(io, (store) => findRun(store, name));
      if (run.status !== 'running') {
        tell(io, `Run ${run.runId} has ended already: ${run.status}.`);
        if (options.json) sayJson(io, run);
        return cli.done(EXIT.ok);
      }
      const status = await withSession(io, {}, async (session) => {
        await requestCancel(session, run.workflowId);
        return run.kind === 'train'
          ? watchTraining(io, session, run, options)
          : finishRun(io, session, run, { ...options, save: true });
      });
      // To be cancelled was asked for: a partial answer is success here.
      cli.done(status === EXIT.partial || status === EXIT.failed ? EXIT.ok : status);
    });
