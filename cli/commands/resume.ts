import { WorkflowNotFoundError } from '@temporalio/client';
import { WideseekError } from '../../domain/errors.ts';
import type { RunRecord } from '../../domain/run.ts';
import { type Cli, command } from '../command.ts';
import { EXIT } from '../exit.ts';
import { type Io, sayJson, tell } from '../io.ts';
import { findRun } from '../run/find-run.ts';
import { finishRun } from '../run/finish.ts';
import { resumeWorkflow } from '../run/resume.ts';
import { type Session, withSession, withStore } from '../run/session.ts';

const stateOf = async (session: Session, workflowId: string): Promise<string> => {
  try {
    return (await session.client.workflow.getHandle(workflowId).describe()).status.name;
  } catch (cause) {
    if (!(cause instanceof WorkflowNotFoundError)) throw cause;
    throw new WideseekError('NotFound', `the Temporal server knows no workflow ${workflowId}`, {
      hint: 'Its history was removed; ask the question again',
      cause,
    });
  }
};

const resume = async (io: Io, session: Session, run: RunRecord, json?: boolean): Promise<number> => {
  const state = await stateOf(session, run.workflowId);
  if (state === 'COMPLETED') {
    tell(io, `Run ${run.runId} is finished: ${run.status}${run.stopReason ? ` (${run.stopReason})` : ''}.`);
    tell(io, `Its answer: wideseek show ${run.runId}`);
    if (json) sayJson(io, run);
    return EXIT.ok;
  }
  if (state === 'RUNNING') tell(io, `Run ${run.runId} is running.`);
  else {
    await resumeWorkflow(session, run.workflowId);
    await session.store.runs.save({ ...run, status: 'running', stopReason: null, finishedAt: null });
    tell(io, `Run ${run.runId} goes on (it was ${state.toLowerCase()}).`);
  }
  return finishRun(io, session, run, { json, save: true });
};

/** `wideseek resume` */
export const resumeCommand = (io: Io, cli: Cli) =>
  command('resume', 'Continue a run that failed, was terminated or timed out; follow one that runs', [
    'wideseek resume x7k2',
  ])
    .argument('<run>', 'the id of a run, or a part of it that only one run has')
    .option('--json', 'print exactly one JSON object on stdout: the whole result')
    .action(async (name: string, options: { json?: boolean }) => {
      const run = await withStore(io, (store) => findRun(store, name));
      cli.done(await withSession(io, {}, (session) => resume(io, session, run, options.json)));
    });
