import { z } from 'zod';
import { loadRolloutConfig, loadTrainConfig, resolveAlgorithm } from '../../configs/train-load.ts';
import {
  rolloutConfigSchema,
  type RolloutConfig,
  trainConfigSchema,
  type TrainConfig,
} from '../../configs/train-schema.ts';
import { loadRunConfig } from '../../configs/load.ts';
import type { RunConfig } from '../../configs/schema.ts';
import { endpointOf, rolesOf } from '../model/endpoint.ts';
import { invalidInput, WideseekError } from '../../domain/errors.ts';
import { checkVersions, ENGINES, planLoss } from '../../domain/rl/engine.ts';
import type { FilterConfig } from '../../domain/rl/filter.ts';
import { loadDataset, type DatasetSpec } from '../datasets/load.ts';
import { checkInput } from '../run/input.ts';
import { canonicalJson, sha256 } from '../store/hashing.ts';
import type { Store } from '../store/port.ts';
import { TRAININGS } from './records.ts';

/** What a person types to start `train` or `rollout`: `{"config": "mini"}` is enough. */
export const trainInputSchema = z.strictObject({
  /** Name of a file in `configs/train/`. */
  config: z.string().min(1),
  /** Overrides of the training or, where it has no such key, of the agents: `{"steps": 5, "agents.width": 4}`. */
  set: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).default({}),
  /** Goes on with a run of this name that stopped. */
  resume: z.boolean().default(false),
});
export type TrainInput = z.input<typeof trainInputSchema>;

const questionSchema = z.object({
  id: z.string(),
  ref: z.string(),
  kind: z.enum(['table', 'qa']),
  language: z.enum(['en', 'zh']),
  text: z.string(),
});
export type TrainQuestion = z.infer<typeof questionSchema>;

/** Everything that activities need of a run, stored once; the plan has its hash. */
export const trainSettingsSchema = z.object({
  config: z.union([trainConfigSchema, rolloutConfigSchema]),
  questions: z.array(questionSchema),
  dev: z.array(questionSchema),
});
export type TrainSettings = z.infer<typeof trainSettingsSchema>;

/** What the workflows of a run need to know: small, no tokens, no texts. */
export interface TrainPlan {
  runId: string;
  workflowId: string;
  /** Hash of the stored `TrainSettings`. */
  settingsRef: string;
  groupSize: number;
  /** Groups that can be admitted at all; null: no end. */
  groups: number | null;
  maxConcurrentGroups: number;
  groupMinutes: number;
  attempts: number;
  minScored: number;
  filter: FilterConfig;
  /** Scoring asks a judge over the network, so it needs the judge's queue. */
  judged: boolean;
  historyEvents: number;
  /** Null for a collection of rollouts. */
  training: TrainingPlan | null;
}

export interface TrainingPlan {
  steps: number;
  batchGroups: number;
  minGroups: number;
  maxStaleness: number;
  batchMinutes: number | null;
  barrenGroups: number;
  checkpointEvery: number;
  evalEvery: number | null;
  /** Also before the first step. Not there in earlier plans. */
  evalStart?: boolean;
  /** Questions and samples of one evaluation. */
  evaluation: { questions: number; samples: number; greedy: boolean; temperature: number } | null;
  heartbeatSeconds: number;
  hostSeconds: number;
  watchMinutes: number;
  stepMinutes: number;
  /** The engine samples one version at a time, so no batch closes while rollouts run. Not there in earlier plans. */
  alternates?: boolean;
}

export interface PlanDeps {
  store: Store;
  now: () => number;
  env: NodeJS.ProcessEnv;
  checkSearch: (config: RunConfig['search']) => Promise<void>;
}

/** A run's entry in the list of trainings. `state` is the workflow's own, as of its last finished step. */
export const trainingDocumentSchema = z.object({
  runId: z.string(),
  settingsRef: z.string(),
  /** Over what changes the result; two runs with different hashes must not share a name. */
  configHash: z.string(),
  startedAt: z.number(),
  state: z.unknown(),
});
export type TrainingDocument = z.infer<typeof trainingDocumentSchema>;

/**
 * Checks everything that can be checked before the first rollout, stores settings and questions, and guards the run's
 * name. Throws `InvalidInput` or `ConfigError` naming the field. `state`: where a resumed run stopped, else null.
 */
export async function planTraining(
  deps: PlanDeps,
  typed: TrainInput,
  runId: string,
  workflowId: string,
): Promise<{ plan: TrainPlan; state: unknown }> {
  const input = checkInput(trainInputSchema, typed);
  const config = await loadTrainConfig(input.config, input.set);
  checkEngine(config);
  const dev = config.evalEvery === null ? undefined : config.data.dev;
  const settings = await collectSettings(deps, config, dev);
  if (config.evalEvery !== null && settings.dev.length === 0)
    throw invalidInput('data.dev', 'has no questions');
  const { settingsRef, state } = await register(deps, input, runId, workflowId, settings);
  const { evaluation, trainer } = config;
  return {
    plan: {
      ...commonPlan(config, settings, runId, workflowId, settingsRef),
      training: {
        steps: config.steps,
        batchGroups: config.batchGroups,
        minGroups: config.minGroups,
        maxStaleness: config.maxStaleness,
        batchMinutes: config.batchMinutes,
        barrenGroups: config.barrenGroups,
        checkpointEvery: config.checkpointEvery,
        evalEvery: config.evalEvery,
        evalStart: config.evalStart,
        evaluation: config.evalEvery === null ? null : { ...evaluation, questions: settings.dev.length },
        ...trainer,
        alternates: !ENGINES[config.engine.name].severalVersions,
      },
    },
    state,
  };
}

/** As `planTraining`, for a collection of rollouts. */
export async function planRollouts(
  deps: PlanDeps,
  typed: TrainInput,
  runId: string,
  workflowId: string,
): Promise<{ plan: TrainPlan; state: unknown }> {
  const input = checkInput(trainInputSchema, typed);
  const config = await loadRolloutConfig(input.config, input.set);
  if (config.from === undefined)
    requireTokens(await loadRunConfig(config.policy.config, config.policy.set), config.policy.config);
  const settings = await collectSettings(deps, config, undefined);
  const { settingsRef, state } = await register(deps, input, runId, workflowId, settings);
  const plan = commonPlan(config, settings, runId, workflowId, settingsRef);
  return {
    plan: { ...plan, groups: Math.min(config.groups, plan.groups ?? config.groups), training: null },
    state,
  };
}

/**
 * Rollouts of any other model leave no tokens to collect. Throws `ConfigError` naming the role, before one is asked, and
 * perhaps paid, for nothing.
 */
export function requireTokens(run: RunConfig, name: string): void {
  const role = rolesOf(run).find((one) => endpointOf(run, one).provider !== 'tokens');
  if (role !== undefined)
    throw new WideseekError(
      'ConfigError',
      `policy.config: in "${name}" the ${role}'s model does not work on token ids`,
      { hint: 'Set `from` to a train run, or give models.default `provider: tokens`' },
    );
}

function checkEngine(config: TrainConfig): void {
  const engine = ENGINES[config.engine.name];
  const { loss } = resolveAlgorithm(config.algorithm);
  planLoss(loss, engine, config.minibatches);
  const { maxStaleness, batchMinutes } = config;
  checkVersions(engine, { maxStaleness, batchMinutes, kl: loss.kl, init: config.engine.init });
  if (config.optimiser.gradClipNorm !== null && !engine.gradientNormClip)
    throw new WideseekError('ConfigError', `optimiser.gradClipNorm: engine ${engine.name} does not clip`, {
      hint: 'Set it to null, or use an engine that clips',
    });
}

function commonPlan(
  config: TrainConfig | RolloutConfig,
  settings: TrainSettings,
  runId: string,
  workflowId: string,
  settingsRef: string,
): Omit<TrainPlan, 'training'> {
  const { epochs } = config.data;
  return {
    runId,
    workflowId,
    settingsRef,
    groupSize: config.groupSize,
    groups: epochs === null ? null : epochs * settings.questions.length,
    maxConcurrentGroups: config.maxConcurrentGroups,
    groupMinutes: config.groupMinutes,
    attempts: config.retries,
    minScored: config.minScored,
    filter: resolveAlgorithm(config.algorithm).batch.filter,
    judged: config.judge.provider !== 'none',
    historyEvents: config.historyEvents,
  };
}

async function collectSettings(
  deps: PlanDeps,
  config: TrainConfig | RolloutConfig,
  dev: DatasetSpec | undefined,
): Promise<TrainSettings> {
  const run = await loadRunConfig(config.policy.config, config.policy.set);
  await deps.checkSearch(run.search);
  const read = async (spec: DatasetSpec) =>
    Promise.all(
      (await loadDataset(spec, { env: deps.env })).map(async (question) => ({
        id: question.id,
        ref: await deps.store.put(JSON.stringify(question)),
        kind: question.kind,
        language: question.language,
        text: question.question,
      })),
    );
  return {
    config,
    questions: await read(config.data.dataset),
    dev: dev === undefined ? [] : await read(dev),
  };
}

async function register(
  { store, now }: PlanDeps,
  input: z.output<typeof trainInputSchema>,
  runId: string,
  workflowId: string,
  settings: TrainSettings,
): Promise<{ settingsRef: string; state: unknown }> {
  const settingsRef = await store.put(JSON.stringify(settings));
  const configHash = hashOf(settings);
  const known = trainingDocumentSchema.safeParse(await store.documents.get(TRAININGS, runId));
  if (known.success && known.data.configHash !== configHash)
    throw invalidInput('config', `run ${runId} was made with another configuration`, 'Use a new name');
  // A retry of this very activity finds its own first attempt; a finished run has a state.
  if (known.success && known.data.state !== null && !input.resume)
    throw invalidInput(
      'resume',
      `run ${runId} exists already`,
      'Set "resume": true to go on with it, or use a new name',
    );
  const startedAt = known.data?.startedAt ?? now();
  const state = known.data?.state ?? null;
  await store.documents.put(TRAININGS, runId, { runId, settingsRef, configHash, startedAt, state });
  await store.runs.save({
    runId,
    kind: 'train',
    workflowId,
    title: `${settings.config.name}: ${settings.questions.length} questions × ${settings.config.groupSize}`,
    config: input.config,
    status: 'running',
    stopReason: null,
    startedAt,
    finishedAt: null,
    resultRef: null,
  });
  return { settingsRef, state };
}

/** What a resumed run may change without becoming another run. */
function hashOf({ config, questions }: TrainSettings): string {
  const { judge, ...rest } = config;
  const free = new Set([
    ...[
      'steps',
      'checkpointEvery',
      'keepLast',
      'keepBest',
      'evalEvery',
      'evalStart',
      'evaluation',
      'trainer',
      'retries',
    ],
    ...['groupMinutes', 'batchMinutes', 'historyEvents', 'maxConcurrentGroups', 'barrenGroups', 'groups'],
  ]);
  const kept = Object.fromEntries(Object.entries(rest).filter(([key]) => !free.has(key)));
  const { attempts: _attempts, concurrency: _concurrency, timeoutSeconds: _timeout, ...judged } = judge;
  return sha256(
    canonicalJson(JSON.parse(JSON.stringify({ kept, judged, questions: questions.map(({ ref }) => ref) }))),
  );
}

/** Reads settings back; they are immutable, so the latest few stay in memory. */
export function settingsReader(store: Pick<Store, 'get'>): (ref: string) => Promise<TrainSettings> {
  const cache = new Map<string, Promise<TrainSettings>>();
  return (ref) => {
    const known = cache.get(ref);
    if (known) return known;
    if (cache.size > 8) cache.delete(cache.keys().next().value!);
    const reading = store.get(ref).then((text) => trainSettingsSchema.parse(JSON.parse(text)));
    reading.catch(() => cache.delete(ref));
    cache.set(ref, reading);
    return reading;
  };
}

/** The configuration of a run that trains. Throws `Internal` for a collection. */
export function trainingConfig({ config }: TrainSettings): TrainConfig {
  if (!('engine' in config)) throw new WideseekError('Internal', 'this run collects and does not train');
  return config;
}
