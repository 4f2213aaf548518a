import { Context } from '@temporalio/activity';
import { z } from 'zod';
import { loadSftConfig } from '../../configs/train-load.ts';
import { type SftConfig, sftConfigSchema } from '../../configs/train-schema.ts';
import { invalidInput, WideseekError } from '../../domain/errors.ts';
import { ENGINES } from '../../domain/rl/engine.ts';
import { numberKey } from '../../domain/rl/names.ts';
import { walk } from '../../domain/rl/order.ts';
import { packBalanced } from '../../domain/rl/packing.ts';
import { learningRate } from '../../domain/rl/schedule.ts';
import { withTypedFailures } from '../failures.ts';
import { checkInput } from '../run/input.ts';
import { canonicalJson, sha256 } from '../store/hashing.ts';
import { retainCheckpoints } from './checkpoints.ts';
import type { Leases } from './lease.ts';
import {
  type LiveModelOptions,
  publishModel,
  readCheckpoints,
  saveCheckpoint,
  withLiveModel,
} from './live-model.ts';
import { type TrainInput, trainInputSchema, trainingDocumentSchema } from './plan.ts';
import { type StepDocument, stepsOf, TRAININGS } from './records.ts';
import { readSftData, type SftData, sftDatum, type SftSequence, weightOf } from './sft-data.ts';
import type { TrainerDeps } from './step.ts';
import { adamOf } from './update.ts';

/** What the workflow of a supervised training needs to know. */
export interface SftPlan {
  runId: string;
  /** Hash of the stored settings. */
  settingsRef: string;
  steps: number;
  checkpointEvery: number;
  /** Steps of an earlier attempt under the same name. */
  done: number;
  heartbeatSeconds: number;
  hostSeconds: number;
  stepMinutes: number;
}

const settingsSchema = z.object({ config: sftConfigSchema, dataHash: z.string() });

export interface SftResult {
  step: number;
  /** Mean cross-entropy of the last step's weighted tokens. */
  loss: number | null;
  checkpoint: string;
  /** Snapshot for sampling. */
  snapshot: string;
}

/** Activities of `sft`; they share the leases of the host's other work. */
export function createSftActivities(deps: TrainerDeps, leases: Leases) {
  const { store, now } = deps;
  let cached: SftData | undefined;

  async function dataOf(file: string, hash?: string): Promise<SftData> {
    if (cached?.file === file && cached.hash === hash) return cached;
    const data = await readSftData(file);
    if (hash !== undefined && data.hash !== hash)
      throw invalidInput(
        'data.file',
        `${file} has changed since the run began`,
        'Use a new name for the run',
      );
    return (cached = data);
  }

  /** Checks everything before the first step. A name belongs to one configuration and one file. */
  async function planSft(typed: TrainInput, runId: string, workflowId: string): Promise<SftPlan> {
    const input = checkInput(trainInputSchema, typed);
    const config = await loadSftConfig(input.config, input.set);
    if (config.optimiser.gradClipNorm !== null && !ENGINES[config.engine.name].gradientNormClip)
      throw new WideseekError(
        'ConfigError',
        `optimiser.gradClipNorm: engine ${config.engine.name} does not clip`,
      );
    const { hash, sequences } = await dataOf(config.data.file);
    const { shortFirst } = config;
    if (shortFirst && !sequences.some(({ tokens }) => tokens.length <= shortFirst.tokens))
      throw invalidInput('shortFirst.tokens', `no sequence has at most ${shortFirst.tokens} tokens`);
    const settingsRef = await store.put(JSON.stringify({ config, dataHash: hash }));
    const { checkpointEvery: _every, keepLast: _keep, trainer: _trainer, ...measured } = config;
    const configHash = sha256(canonicalJson(JSON.parse(JSON.stringify({ measured, hash }))));
    const known = trainingDocumentSchema.safeParse(await store.documents.get(TRAININGS, runId));
    if (known.success && known.data.configHash !== configHash)
      throw invalidInput('config', `run ${runId} was made with another configuration`, 'Use a new name');
    const startedAt = known.data?.startedAt ?? now();
    await store.documents.put(TRAININGS, runId, { runId, settingsRef, configHash, startedAt, state: null });
    await store.runs.save({
      ...{ runId, kind: 'train', workflowId, config: input.config, status: 'running', stopReason: null },
      title: `${config.name}: ${sequences.length} sequences`,
      ...{ startedAt, finishedAt: null, resultRef: null },
    });
    return {
      ...{ runId, settingsRef, steps: config.steps, checkpointEvery: config.checkpointEvery },
      done: Math.min(
        config.steps,
        (await readCheckpoints(store, runId)).filter(({ kept }) => kept).at(-1)?.step ?? 0,
      ),
      ...config.trainer,
      stepMinutes: 24 * 60,
    };
  }

  /** Brings the model to `target` steps, saves and publishes it. Exact whatever was killed, as `trainTo`. */
  async function sftTo(plan: SftPlan, target: number): Promise<SftResult> {
    const { cancellationSignal: signal } = Context.current();
    const { config, dataHash } = settingsSchema.parse(JSON.parse(await store.get(plan.settingsRef)));
    const { sequences } = await dataOf(config.data.file, dataHash);
    const access = await deps.engine(config.engine);
    const run = plan.runId;
    await leases.claim(run);
    let loss: number | null = null;
    const { shortFirst } = config;
    const short = sequences.filter(({ tokens }) => tokens.length <= (shortFirst?.tokens ?? 0));
    const drawers = { short: drawer(short, config.data.seed), all: drawer(sequences, config.data.seed) };
    const apply: LiveModelOptions['apply'] = async (step, handle, firstSeq) => {
      Context.current().heartbeat({ step });
      const draw = drawers[step < (shortFirst?.steps ?? 0) ? 'short' : 'all'];
      const batch = Array.from({ length: config.batchSize }, (_, i) => draw(step * config.batchSize + i));
      const bySum = access.engine.capabilities.reduction === 'sum';
      const denominator = bySum ? batch.reduce((sum, one) => sum + weightOf(one), 0) : 1;
      const { bins } = packBalanced(
        batch.map(({ tokens }) => tokens.length),
        config.tokenBudget,
      );
      let seq = firstSeq;
      let total = 0;
      for (const bin of bins) {
        const data = bin.map((index) => sftDatum(batch[index]!, denominator));
        const call = { lossFn: 'cross_entropy', lossFnConfig: {}, data } as const;
        total += (await access.engine.forwardBackward(handle, seq++, call, signal)).loss;
      }
      const schedule = { ...config.optimiser.schedule, totalSteps: config.steps };
      const rate = learningRate(step, schedule);
      await access.engine.optimStep(handle, seq++, adamOf(config.optimiser, rate, access.engine), signal);
      loss = bySum ? total : total / bins.length;
      await record(run, step, { 'train/loss': loss, 'train/actor/lr': rate });
      return { nextSeq: seq };
    };
    const options: LiveModelOptions = {
      ...{ store, access, run, config: config.engine, seed: config.seed, apply, signal },
      keepAlive: (handle) => leases.hold(run, access.engine, handle),
    };
    const { result } = await withLiveModel(options, target, async (model) => {
      const snapshot = await publishModel(options, model);
      return { snapshot, path: (await saveCheckpoint(options, model, snapshot)).path };
    });
    const { path, snapshot } = result;
    await retainCheckpoints(store, access.engine, run, { keepLast: config.keepLast, keepBest: 0 }, signal);
    return { step: target, loss, checkpoint: path, snapshot };
  }

  async function record(run: string, step: number, metrics: Record<string, number>): Promise<void> {
    const document: StepDocument = {
      ...{ step, version: step, at: now(), metrics, staleness: {}, stopReasons: {} },
      ...{ groups: [], expired: [], filtered: [], excluded: [] },
    };
    await store.documents.put(stepsOf(run), numberKey(step), document);
  }

  return {
    planSft: withTypedFailures('configuration', planSft),
    sftTo: withTypedFailures('trainer', sftTo),
  };
}
/** Sequence at a position of the endless walk over `pool`. */
const drawer = (pool: readonly SftSequence[], seed: number): ((position: number) => SftSequence) => {
  const at = walk(pool.length, seed);
  return (position) => pool[at(position)]!;
};

export type SftActivities = ReturnType<typeof createSftActivities>;
export type { SftConfig };
