import type { TrainInput } from '../../activities/trainer/plan.ts';
import { invalidInput } from '../../domain/errors.ts';
import { EXIT } from '../exit.ts';
import { type Io, sayJson, tell } from '../io.ts';
import { findRun } from '../run/find-run.ts';
import { newRunId } from '../run/run-id.ts';
import { withSession, withStore } from '../run/session.ts';
import { finishTraining } from './end.ts';
import type { Outcomes, TrainKind } from './follow.ts';
import type { Ready } from '../run/ready.ts';
import { earlierTrainInput, startTraining, trainRunName } from './start.ts';

export interface LaunchOptions {
  resume?: string;
  name?: string;
  json?: boolean;
  keep?: boolean;
  detach?: boolean;
}

/** What a person typed: a configuration, or nothing where a run goes on, and settings. */
export interface Typed {
  config: string | undefined;
  set: TrainInput['set'];
}

/** Everything that can be wrong before a server is started; may correct the input. */
export type Prepare = (input: TrainInput) => Promise<{ input: TrainInput; ready: Ready }>;

const nameOf = (io: Io, input: TrainInput, { name }: LaunchOptions): string => {
  if (name === undefined) return newRunId(input.config, io.now(), io.random);
  if (/^[\w.-]+$/.test(name)) return name;
  throw invalidInput('--name', `"${name}" may hold letters, digits, ".", "_" and "-" only`);
};

/**
 * Starts, or goes on with, a run of one of the three kinds and follows it. `after` sees what it returned. A resumed run
 * has the settings it was started with; what is typed again wins.
 */
export const launch = async (
  io: Io,
  kind: TrainKind,
  typed: Typed,
  options: LaunchOptions,
  prepare: Prepare,
  after?: (runId: string, outcome: Outcomes[TrainKind]) => Promise<void>,
): Promise<number> => {
  const { resume } = options;
  if (typed.config === undefined && resume === undefined)
    throw invalidInput('config', 'nothing is named to start', `See: wideseek ${kind} --help`);
  const known = resume === undefined ? null : await withStore(io, (store) => findRun(store, resume));
  if (known && !known.workflowId.startsWith(`${kind}/`))
    throw invalidInput('--resume', `${known.runId} is no run of wideseek ${kind}`);
  const { config: named, set } = typed;
  const prepared = named === undefined || known ? null : await prepare({ config: named, set });
  return withSession(io, { keep: options.keep || options.detach }, async (session) => {
    let { input, ready } = prepared ?? {};
    if (known) {
      const earlier = await earlierTrainInput(session, known.workflowId);
      const config = named ?? earlier?.config ?? known.config;
      ({ input, ready } = await prepare({ config, set: { ...earlier?.set, ...set } }));
      input = { ...input, resume: true };
    }
    if (!input) throw invalidInput('config', 'nothing is named to start');
    await ready?.(session);
    const { runId, workflowId } = known ?? trainRunName(kind, nameOf(io, input, options));
    await startTraining(session, kind, { runId, workflowId }, input, io.now());
    const page = session.pageOf(workflowId);
    tell(io, `Run ${runId}${page ? `\n${page}` : ''}`);
    if (options.detach) {
      tell(io, `It goes on by itself. Watch it: wideseek watch ${runId}`);
      if (options.json) sayJson(io, { runId, workflowId, status: 'running' });
      return EXIT.ok;
    }
    const { status, outcome } = await finishTraining(io, session, kind, { runId, workflowId }, options);
    if (outcome) await after?.(runId, outcome);
    return status;
  });
};
