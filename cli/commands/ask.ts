import { requirePrices, withPrices } from '../../activities/model/ceiling.ts';
import { modelNameIn, policyOf } from '../../activities/model/endpoint.ts';
import { loadRunConfig } from '../../configs/load.ts';
import { loadPrices } from '../../configs/prices-schema.ts';
import type { ModelConfig, RunConfig } from '../../configs/schema.ts';
import { invalidInput } from '../../domain/errors.ts';
import {
  type RunRecord,
  type SeekInput,
  seekInputSchema,
  seekWorkflowId,
  TASK_QUEUE,
} from '../../domain/run.ts';
import { type Cli, command } from '../command.ts';
import { FORMATS } from '../formats/index.ts';
import { type Io, sayJson, tell } from '../io.ts';
import { chooseConfig } from '../run/choose.ts';
import { estimateLine, estimateRun } from '../run/estimate.ts';
import { finishRun } from '../run/finish.ts';
import { both, readyIndex, readyModels } from '../run/ready.ts';
import { checkDelivery, type DeliveryOptions } from '../run/result.ts';
import { newRunId } from '../run/run-id.ts';
import { type Session, withSession } from '../run/session.ts';
import { collect, parseSettings } from '../settings.ts';

/** Asked when no question is given: the sample corpus answers it without network or keys. */
export const SAMPLE_QUESTION =
  'Which landlocked countries are in Africa? Give the capital, area and official languages of each.';

interface AskOptions extends DeliveryOptions {
  config?: string;
  corpus?: string;
  offline?: boolean;
  deep?: boolean;
  maxUsd?: number;
  set: string[];
  keep?: boolean;
  detach?: boolean;
}

/** How long a person at a terminal has for a question that the lead asks back. */
const CLARIFY_SECONDS = 120;

/** What is asked, with which configuration, and why that one. Throws `InvalidInput` naming the field. */
const readInput = (
  io: Io,
  question: string | undefined,
  options: AskOptions,
): { input: SeekInput & { question: string; config: string }; why: string } => {
  const set = parseSettings(options.set);
  if (options.maxUsd !== undefined) set['budget.usd'] = options.maxUsd;
  if (canAnswer(io, options) && !('clarify.seconds' in set)) set['clarify.seconds'] = CLARIFY_SECONDS;
  const isSample = question === undefined;
  const choice = chooseConfig(io.env, { ...options, set, isSample });
  const parsed = seekInputSchema.safeParse({
    question: question ?? SAMPLE_QUESTION,
    config: choice.config,
    set: choice.set,
  });
  if (parsed.success) return { input: parsed.data, why: choice.why };
  const issue = parsed.error.issues[0];
  throw invalidInput(issue?.path.join('.') || 'input', issue?.message ?? 'is wrong');
};

/** Whether somebody sits at this terminal and waits for the run. */
const canAnswer = (io: Io, { json, detach }: AskOptions): boolean =>
  io.readLine !== undefined && !json && !detach;

/** Fills in prices and makes sure that a ceiling in money can be kept. Throws `ConfigError`. */
const priced = async (io: Io, config: RunConfig): Promise<RunConfig> => {
  const nameOf = (endpoint: ModelConfig): string => modelNameIn(endpoint, io.env);
  const withAll = withPrices(config, await loadPrices(io.env), nameOf);
  requirePrices(withAll, (endpoint) => nameOf(endpoint) === 'extractive', nameOf);
  return withAll;
};

/**
 * Starts the workflow. The run is in the list before it starts, so that `watch` and `cancel` find it while no worker
 * has taken it yet; the worker writes the record again with what it resolved.
 */
async function startRun(
  io: Io,
  { client, store }: Session,
  { runId, workflowId }: { runId: string; workflowId: string },
  input: SeekInput & { question: string; config: string },
): Promise<void> {
  const record: RunRecord = {
    runId,
    kind: 'seek',
    workflowId,
    title: input.question.slice(0, 200),
    config: input.config,
    status: 'running',
    stopReason: null,
    startedAt: io.now(),
    finishedAt: null,
    resultRef: null,
  };
  await store.runs.save(record);
  try {
    await client.workflow.start('seek', { taskQueue: TASK_QUEUE, workflowId, args: [input] });
  } catch (error) {
    await store.runs.save({ ...record, status: 'failed', finishedAt: io.now() });
    throw error;
  }
}

/** Starts a run, shows it while it goes on, and hands over its answer. Returns the exit status. */
const ask = async (io: Io, question: string | undefined, options: AskOptions): Promise<number> => {
  const delivery = checkDelivery(options);
  const { input, why } = readInput(io, question, options);
  // Read here as well, so that a wrong setting is said before a server is started.
  const config = await priced(io, await loadRunConfig(input.config, input.set));
  tell(io, why);
  const ready = both(await readyIndex(io, config), await readyModels(io, config));
  if (question === undefined) tell(io, `No question was given; the sample question: ${SAMPLE_QUESTION}`);

  return withSession(io, { keep: options.keep || options.detach }, async (session) => {
    await ready(session);
    const policy = policyOf(config, (endpoint) => modelNameIn(endpoint, io.env));
    const estimate = await estimateRun(session.store, config, { configName: input.config, policy });
    if (estimate) tell(io, estimateLine(estimate, config.budget.usd));
    const runId = newRunId(input.question, io.now(), io.random);
    const workflowId = seekWorkflowId(runId);
    await startRun(io, session, { runId, workflowId }, input);
    const page = session.pageOf(workflowId);
    tell(io, `Run ${runId}${page ? `\n${page}` : ''}`);
    const evidence = options.evidence ?? options.deep;
    if (!options.detach) return finishRun(io, session, { runId, workflowId }, { ...delivery, evidence });
    tell(io, `It goes on by itself. Watch it: wideseek watch ${runId}`);
    if (options.json) sayJson(io, { runId, workflowId, status: 'running', page });
    return 0;
  });
};

/** An amount of money. Throws `InvalidInput`. */
const usd = (text: string): number => {
  const amount = Number(text);
  if (text.trim() !== '' && Number.isFinite(amount) && amount > 0) return amount;
  throw invalidInput('--max-usd', `"${text}" is not an amount above 0`, 'Write for example --max-usd 0.50');
};

/** `wideseek ask` */
export const askCommand = (io: Io, cli: Cli) =>
  command('ask', 'Answer a question with a table whose cells carry their sources', [
    'wideseek ask "Which landlocked countries are in Africa? Give the capital of each."',
    'wideseek ask "…" --format csv --output answer.csv --evidence',
    'wideseek ask "…" --set agents.width=4 --set search.topK=5 --json',
    'wideseek ask "…" --deep --max-usd 0.50',
    'wideseek ask "…" --detach',
  ])
    .argument('[question]', 'the question; without one, a sample question is asked')
    .option(
      '-c, --config <name>',
      'a configuration in configs/; default: ask, or web where SERPER_API_KEY is set',
    )
    .option('--corpus <name>', 'search this corpus (configs/corpus/)')
    .option('--offline', 'search the sample corpus, whatever keys the environment has')
    .option('-d, --deep', 'one precise answer by one persistent agent, with its chain of evidence')
    .option(
      '--max-usd <amount>',
      'stop before more than this is spent on models (prices: configs/prices.yaml)',
      usd,
    )
    .option('-s, --set <key=value>', 'override one setting; repeatable', collect, [] as string[])
    .option('-f, --format <format>', `${FORMATS.join(', ')}; default: a table for people`)
    .option('-o, --output <file>', 'write the answer there instead of stdout')
    .option('-e, --evidence', 'show the source of each cell')
    .option('--json', 'print exactly one JSON object on stdout: the whole result')
    .option('--keep', 'leave server and worker running afterwards')
    .option('--detach', 'start the run and return at once (implies --keep)')
    .addHelpText(
      'after',
      '\nCtrl-C cancels the run and keeps what was found; a second Ctrl-C leaves it running.' +
        '\nThe answer is also written to ./wideseek-runs/<run>/ (answer.md, answer.csv, result.json).',
    )
    .action(async (question: string | undefined, options: AskOptions) =>
      cli.done(await ask(io, question, options)),
    );
