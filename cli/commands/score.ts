import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { loadDataset } from '../../activities/datasets/load.ts';
import { invalidInput } from '../../domain/errors.ts';
import { aggregate } from '../../domain/scoring/aggregate.ts';
import { seededRandom } from '../../domain/scoring/bootstrap.ts';
import type { Compat } from '../../domain/scoring/conformance.ts';
import { type Cli, command } from '../command.ts';
import { EXIT } from '../exit.ts';
import { type Io, say, sayJson, tell } from '../io.ts';
import { withStore } from '../run/session.ts';
import { scoreCases } from '../score/cases.ts';
import { judgeFrom, type JudgeOptions, withJudgeOptions } from '../score/judge-options.ts';
import { summaryLines } from '../score/report.ts';
import { readResponses } from '../score/responses.ts';
import { scoreResponses } from '../score/score-file.ts';

interface ScoreOptions extends JudgeOptions {
  dataset: string;
  data?: string;
  split?: string;
  cases?: string;
  compat: string;
  lenient?: boolean;
  output?: string;
  json?: boolean;
}

const readCompat = (name: string): Compat => {
  if (name === 'default' || name === 'reference') return name;
  throw invalidInput('--compat', `"${name}" is not known`, 'Known: default, reference');
};

/** `wideseek score` */
export const scoreCommand = (io: Io, cli: Cli) => {
  const made = command(
    'score',
    'Score stored answers against a data set; no agent runs and no server is needed',
    [
      'wideseek score answers.jsonl --dataset sample',
      'wideseek score responses/ --dataset widesearch --judge-url http://localhost:8000/v1 --judge-model qwen3',
      'wideseek score --cases cases.jsonl --compat reference',
    ],
  )
    .argument('[file]', 'answers: JSON Lines with instance_id and response, or a folder of such files')
    .option('--dataset <name>', 'what they answer: a data set of `wideseek data list`', 'sample')
    .option('--data <path>', "the data set's file or folder, where it is not below the data folder")
    .option('--split <name>', 'only this split')
    .option('--cases <file>', 'score a conformance file with the judge that each case describes')
    .option('--compat <mode>', "default, or reference: the published evaluator's numbers", 'default')
    .option('--lenient', 'leave out broken records and answers to unknown questions, and list them')
    .option('-o, --output <file>', 'write one JSON line per answer there: scores, verdicts and reasons')
    .option('--json', 'print exactly one JSON object on stdout');
  return withJudgeOptions(made).action(async (file: string | undefined, options: ScoreOptions) => {
    const compat = readCompat(options.compat);
    if (options.cases !== undefined) {
      if (file !== undefined) throw invalidInput('FILE', 'does not go with --cases');
      await scoreCases(io, options.cases, compat);
      return cli.done(EXIT.ok);
    }
    if (file === undefined)
      throw invalidInput('FILE', 'is missing', 'Name a file of answers, or use --cases');
    const controller = new AbortController();
    const release = io.onInterrupt(() => controller.abort(new Error('interrupted')));
    try {
      cli.done(await scoreFile(io, file, compat, options, controller.signal));
    } catch (error) {
      if (!controller.signal.aborted) throw error;
      tell(io, 'Interrupted. Verdicts so far are kept: the same command goes on from them.');
      cli.done(EXIT.interrupted);
    } finally {
      release();
    }
  });
};

async function scoreFile(
  io: Io,
  file: string,
  compat: Compat,
  options: ScoreOptions,
  signal: AbortSignal,
): Promise<number> {
  const { config, model } = judgeFrom(io, options);
  const records = await readResponses(resolve(io.cwd, file));
  const { dataset, split, lenient, data } = options;
  const questions = await loadDataset(
    { name: dataset, split, ...(data ? { path: resolve(io.cwd, data) } : {}) },
    {
      lenient,
      env: io.env,
      onBroken: ({ where, problems }) => tell(io, `! ${where}: ${problems.join('; ')}`),
    },
  );
  const byId = new Map(questions.map((question) => [question.id, question]));
  const responses = records.flatMap((record) => {
    const question = byId.get(record.question);
    if (question) return [{ record, question }];
    const problem = `${record.where}: instance_id: "${record.question}" is no question of ${dataset}`;
    if (!lenient)
      throw invalidInput(problem, 'nothing to compare it with', 'Leave such answers out with --lenient');
    tell(io, `! ${problem}`);
    return [];
  });

  const scored = await withStore(io, (store) =>
    scoreResponses(responses, {
      ...{ store, config, model, compat, signal },
      onScored: (done) => {
        if (io.stderr.isTTY) io.stderr.write(`\r${done} of ${responses.length} scored`);
      },
    }),
  );
  if (io.stderr.isTTY) tell(io, '');

  const samples = scored.map(({ document, language }) => ({
    question: document.question,
    language,
    status: document.status,
    values: document.scores,
  }));
  const answered = new Set(samples.map(({ question }) => question));
  const unanswered = questions.map(({ id }) => id).filter((id) => !answered.has(id));
  const k = Math.max(1, ...scored.map(({ trial }) => trial + 1));
  const summary = aggregate(samples, { k, random: seededRandom(1) });
  const incomplete = summary.all.unscored > 0 || unanswered.length > 0 || summary.all.short.length > 0;
  if (options.output) {
    const lines = scored.map(({ document, trial }) => `${JSON.stringify({ trial, ...document })}\n`);
    await writeFile(resolve(io.cwd, options.output), lines.join(''));
  }
  const doubtful = scored.filter(({ document }) => document.judgeIncomplete).length;
  if (options.json)
    sayJson(io, { dataset, compat, incomplete, unanswered, judgeIncomplete: doubtful, summary });
  else for (const line of summaryLines(summary)) say(io, line);
  const reasons = new Set(
    scored.flatMap(({ document: { status, reason } }) => (status === 'unscored' ? [reason] : [])),
  );
  for (const reason of [...reasons].slice(0, 5)) tell(io, `! unscored: ${reason}`);
  if (unanswered.length > 0)
    tell(io, `! ${unanswered.length} questions have no answer: ${unanswered.slice(0, 5).join(', ')} …`);
  if (doubtful > 0 && summary.all.unscored < doubtful)
    tell(
      io,
      `! ${doubtful} answers lack verdicts of a judge; texts were compared where the status is not unscored`,
    );
  return incomplete ? EXIT.partial : EXIT.ok;
}
