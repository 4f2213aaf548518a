import { WorkflowNotFoundError } from '@temporalio/client';
import { z } from 'zod';
import { RESUME_COLLECTION } from '../../activities/run/activities.ts';
import { planReader } from '../../activities/run/plan.ts';
import { WideseekError } from '../../domain/errors.ts';
import { type RunRecord, TASK_QUEUE } from '../../domain/run.ts';
import { type Cli, command } from '../command.ts';
import { EXIT } from '../exit.ts';
import { type Io, sayJson, tell } from '../io.ts';
import { findRun } from '../run/find-run.ts';
import { finishRun } from '../run/finish.ts';
import { readyModels } from '../run/ready.ts';
import { resumeWorkflow } from '../run/resume.ts';
import { type Session, withSession, withStore } from '../run/session.ts';
import { trainKindOf } from '../train/start.ts';

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

const savedSchema = z.object({
  input: z.unknown(),
  state: z.looseObject({ plan: z.looseObject({ minutes: z.number() }) }),
});

/** What a question's models need, as its plan knows them: the local engine, where one samples from it. */
const readyAgain = async (io: Io, session: Session, { planRef }: RunRecord): Promise<void> => {
  if (planRef === undefined) return;
  const { config } = await planReader(session.store)(planRef);
  await (
    await readyModels(io, config)
  )(session);
};

/** Goes on from the state that a stopped run left in the store, with a new allowance of time. Null: it left none. */
const resumeFromState = async (io: Io, session: Session, run: RunRecord): Promise<true | null> => {
  const saved = savedSchema.safeParse(await session.store.documents.get(RESUME_COLLECTION, run.runId));
  if (!saved.success) return null;
  await readyAgain(io, session, run);
  const { input, state } = saved.data;
  const deadline = io.now() + state.plan.minutes * 60_000;
  await session.client.workflow.start('seek', {
    taskQueue: TASK_QUEUE,
    workflowId: run.workflowId,
    args: [input, { ...state, plan: { ...state.plan, deadline } }],
  });
  return true;
};

const resume = async (io: Io, session: Session, found: RunRecord, json?: boolean): Promise<number> => {
  const state = await stateOf(session, found.workflowId);
  // Read after the state: a run that ended since it was looked up has written how.
  const run = (await session.store.runs.get(found.runId)) ?? found;
  const resumable = run.stopReason !== null && run.status !== 'ok';
  if (state !== 'RUNNING' && resumable && (await resumeFromState(io, session, run))) {
    await session.store.runs.save({ ...run, status: 'running', stopReason: null, finishedAt: null });
    tell(io, `Run ${run.runId} goes on (it had stopped: ${run.stopReason}).`);
    return finishRun(io, session, run, { json, save: true });
  }
  if (state === 'COMPLETED') {
    tell(io, `Run ${run.runId} is finished: ${run.status}${run.stopReason ? ` (${run.stopReason})` : ''}.`);
    tell(io, `Its answer: wideseek show ${run.runId}`);
    if (json) sayJson(io, run);
    return EXIT.ok;
  }
  await readyAgain(io, session, run);
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
  command(
    'resume',
    'Continue a run that failed, was cancelled, ran out of time or was terminated; follow one that runs',
    ['wideseek resume x7k2'],
  )
    .argument('<run>', 'the id of a run, or a part of it that only one run has')
    .option('--json', 'print exactly one JSON object on stdout: the whole result')
    .action(async (name: string, options: { json?: boolean }) => {
      const run = await withStore(io, (store) => findRun(store, name));
      if (run.kind === 'train')
        throw new WideseekError('InvalidInput', `run: ${run.runId} is a training`, {
          hint: `Go on with it: wideseek ${trainKindOf(run)} --resume ${run.runId}`,
        });
      cli.done(await withSession(io, {}, (session) => resume(io, session, run, options.json)));
    });
