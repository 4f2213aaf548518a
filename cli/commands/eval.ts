import { relative } from 'node:path';
import { loadEvalConfig } from '../../configs/eval-schema.ts';
import { loadRunConfig } from '../../configs/load.ts';
import { invalidInput } from '../../domain/errors.ts';
import type { EvaluateInput } from '../../domain/scoring/evaluation-plan.ts';
import { type Cli, command } from '../command.ts';
import { findEvaluation, loadEvaluation } from '../eval/load.ts';
import { reportRun, runEvaluation } from '../eval/run-one.ts';
import {
  checkEvaluateInput,
  earlierInput,
  evaluationWorkflowId,
  setPaused,
  startEvaluation,
} from '../eval/start.ts';
import {
  parseSweep,
  type Sweep,
  sweepPoint,
  type SweepPoint,
  sweepRunId,
  writeSweep,
} from '../eval/sweep.ts';
import { EXIT } from '../exit.ts';
import { type Io, sayJson, tell } from '../io.ts';
import { both, type Ready, readyIndex, readyModels } from '../run/ready.ts';
import { newRunId } from '../run/run-id.ts';
import { type Session, withSession, withStore } from '../run/session.ts';
import { collect, integer, parseSettings } from '../settings.ts';

interface EvalOptions {
  set: string[];
  limit?: number;
  samples?: number;
  resume?: string;
  sweep?: string;
  mix?: boolean;
  json?: boolean;
  keep?: boolean;
  detach?: boolean;
  pause?: string;
  report?: string;
}

const inputOf = (config: string, options: EvalOptions): EvaluateInput =>
  checkEvaluateInput({
    config,
    set: {
      ...parseSettings(options.set),
      ...(options.samples === undefined ? {} : { samples: options.samples }),
    },
    ...(options.limit === undefined ? {} : { limit: options.limit }),
    ...(options.mix ? { mix: true } : {}),
  });

/** Everything that can be wrong before a server is started; the index and the engine that the questions need. */
const prepare = async (io: Io, input: EvaluateInput): Promise<Ready> => {
  const config = await loadEvalConfig(input.config, input.set);
  const run = await loadRunConfig(config.run, config.set);
  return both(await readyIndex(io, run), await readyModels(io, run));
};

/** The run that goes on and what it was started with; options that were typed again win. */
const resumed = async (
  io: Io,
  session: Session,
  name: string,
  config: string | undefined,
  options: EvalOptions,
) => {
  const runId = await findEvaluation(session.store, name);
  const { evaluation } = await loadEvaluation(session.store, runId);
  const earlier = await earlierInput(session, runId);
  if (!earlier) tell(io, 'How it was started is no longer known; give --set and --limit as then.');
  const typed = inputOf(config ?? evaluation.config, options);
  const set = { ...earlier?.set, ...typed.set };
  return { runId, input: { ...earlier, ...typed, set, resume: true } satisfies EvaluateInput };
};

const runSweep = async (
  io: Io,
  session: Session,
  sweep: Sweep,
  input: EvaluateInput,
  prefix: string,
  options: EvalOptions,
) => {
  const points: SweepPoint[] = [];
  const statuses: number[] = [];
  for (const value of sweep.values) {
    const runId = sweepRunId(prefix, sweep, value);
    tell(io, `${sweep.key} = ${String(value)}`);
    const startedAt = io.now();
    const run = await runEvaluation(io, session, runId, {
      ...input,
      set: { ...input.set, [sweep.key]: value },
      resume: options.resume !== undefined,
    });
    statuses.push(run.status);
    if (run.document) points.push(sweepPoint(value, runId, run.document, io.now() - startedAt));
    const page = await writeSweep(io.cwd, prefix, sweep, points);
    tell(io, `Sweep: ${relative(io.cwd, page)}`);
    if (run.status === EXIT.interrupted || run.status === EXIT.usage) break;
  }
  if (options.json) sayJson(io, { prefix, ...sweep, points });
  return Math.max(...statuses);
};

const evaluate = async (io: Io, config: string | undefined, options: EvalOptions): Promise<number> => {
  const sweep = options.sweep === undefined ? null : parseSweep(options.sweep);
  if (sweep && options.detach) throw invalidInput('--detach', 'a sweep has several runs to wait for');
  if (config === undefined && (options.resume === undefined || sweep)) {
    throw invalidInput('config', 'no evaluation is named', 'For example: wideseek eval sample');
  }
  // A sweep's prefix is no run itself; its runs are looked up one by one.
  const { resume } = options;
  const single = resume !== undefined && !sweep;
  const typed = config === undefined ? null : inputOf(config, options);
  const ready = typed && (await prepare(io, typed));
  if (single) await withStore(io, (store) => findEvaluation(store, resume));

  return withSession(io, { keep: options.keep || options.detach }, async (session) => {
    await ready?.(session);
    if (sweep && typed) {
      const prefix = resume ?? newRunId(`${typed.config} sweep`, io.now(), io.random);
      return runSweep(io, session, sweep, typed, prefix, options);
    }
    const { runId, input } = single
      ? await resumed(io, session, resume, config, options)
      : {
          runId: newRunId(config ?? '', io.now(), io.random),
          input: typed ?? inputOf(config ?? '', options),
        };
    if (single) await (await prepare(io, input))(session);
    if (options.detach) {
      await startEvaluation(session, runId, input);
      tell(io, `Evaluation ${runId} goes on by itself. Follow it: wideseek eval --resume ${runId}`);
      if (options.json) sayJson(io, { runId, workflowId: evaluationWorkflowId(runId), status: 'running' });
      return EXIT.ok;
    }
    if (single) await setPaused(session, runId, false).catch(() => undefined); // it may have ended
    const run = await runEvaluation(io, session, runId, input);
    const { document, folder, error, detached } = run;
    if (options.json) sayJson(io, { runId, folder, running: detached, error, ...document });
    return run.status;
  });
};

/** `wideseek eval` */
export const evalCommand = (io: Io, cli: Cli) =>
  command('eval', 'Answer and score a benchmark, and write a report', [
    'wideseek eval sample',
    'wideseek eval widesearch --samples 4 --set agents.width=10',
    'wideseek eval --resume 20261130-0615-sample-x7k2',
    'wideseek eval sample --samples 1 --sweep agents.width=1,2,4,8,10',
    'wideseek eval --report x7k2',
  ])
    .argument('[config]', 'an evaluation in configs/eval/')
    .option(
      '-s, --set <key=value>',
      'override one setting of the evaluation or its runs; repeatable',
      collect,
      [] as string[],
    )
    .option('-n, --limit <n>', 'only the first questions', integer('--limit', 1, 1_000_000))
    .option('-k, --samples <n>', 'answers per question', integer('--samples', 1, 64))
    .option(
      '-r, --resume <run>',
      'go on with an evaluation: answer and score what is missing (with --sweep: its prefix)',
    )
    .option('--sweep <key=values>', 'one evaluation per value, e.g. agents.width=1,2,4')
    .option('--mix', 'allow samples of different configurations in one run')
    .option('--pause <run>', 'let the open questions of a running evaluation finish and start no more')
    .option('--report <run>', 'write the files of an evaluation again from what is stored')
    .option('--json', 'print exactly one JSON object on stdout')
    .option('--keep', 'leave server and worker running afterwards')
    .option('--detach', 'start the evaluation and return at once (implies --keep)')
    .addHelpText(
      'after',
      '\nFiles: ./wideseek-runs/<run>/ (report.html, metric.json, allresult.json, responses/).' +
        '\nStatus 3: some samples are unscored. Ctrl-C cancels and keeps what is scored; twice leaves it running.',
    )
    .action(async (config: string | undefined, options: EvalOptions) => {
      const { pause, report } = options;
      if (pause !== undefined) {
        const said = await withSession(io, {}, async (session) =>
          setPaused(session, await findEvaluation(session.store, pause), true),
        );
        tell(io, `${said}. Go on: wideseek eval --resume ${pause}`);
        if (options.json) sayJson(io, { paused: true });
        return cli.done(EXIT.ok);
      }
      if (report !== undefined) {
        const written = await withSession(io, {}, async (session) =>
          reportRun(io, session, await findEvaluation(session.store, report)),
        );
        if (options.json) sayJson(io, { folder: written.folder, ...written.document });
        return cli.done(written.document.wideseek.complete ? EXIT.ok : EXIT.partial);
      }
      cli.done(await evaluate(io, config, options));
    });
