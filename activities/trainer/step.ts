import { Context } from '@temporalio/activity';
import { resolveAlgorithm } from '../../configs/train-load.ts';
import type { EngineConfig } from '../../configs/train-schema.ts';
import { WideseekError } from '../../domain/errors.ts';
import { noSignal } from '../../domain/rl/filter.ts';
import { trainableTurns, type Group } from '../../domain/rl/types.ts';
import { withTypedFailures } from '../failures.ts';
import { numberKey } from '../../domain/rl/names.ts';
import type { Store } from '../store/port.ts';
import { retainCheckpoints, retainSnapshots } from './checkpoints.ts';
import { loadGroup, setFate } from './group.ts';
import type { Leases } from './lease.ts';
import {
  type EngineAccess,
  type LiveModelOptions,
  publishModel,
  readCheckpoints,
  readTrainer,
  saveCheckpoint,
  withLiveModel,
} from './live-model.ts';
import { settingsReader, trainingConfig, type TrainPlan, type TrainSettings } from './plan.ts';
import type { PublishedPolicy } from './policy.ts';
import {
  batchDocumentSchema,
  batchesOf,
  type BatchDocument,
  groupDocumentSchema,
  groupsOf,
  stepDocumentSchema,
  stepsOf,
} from './records.ts';
import { stepDocument, withPublishing } from './step-metrics.ts';
import { runUpdate } from './update.ts';

export interface TrainerDeps {
  store: Store;
  now: () => number;
  /** This machine; its own queue is `train-<host>`. */
  host: string;
  /** The engine that a configuration leads to on this host. Throws `ConfigError`. */
  engine: (config: EngineConfig) => Promise<EngineAccess> | EngineAccess;
}

/** Queue of one trainer's host. */
export const hostQueue = (host: string): string => `train-${host}`;

export interface TrainToInput {
  plan: TrainPlan;
  /** Steps that the weights shall have seen. */
  target: number;
}

export type TrainToResult =
  | { kind: 'done'; policy: PublishedPolicy; restored: boolean; checkpoint: boolean }
  /** The groups of the last step hold nothing to train on. */
  | { kind: 'empty' };

/** Activities of a trainer's host: on the shared queue `train` and on the host's own. */
export function createTrainerActivities(deps: TrainerDeps, leases: Leases) {
  const { store, now } = deps;
  const settingsOf = settingsReader(store);

  /** Who is free takes it: a short activity on the shared queue that names the host's own. */
  async function acquireTrainer(run: string): Promise<{ host: string; queue: string }> {
    await leases.claim(run);
    return { host: deps.host, queue: hostQueue(deps.host) };
  }

  /** The run needs no trainer any more. */
  async function releaseTrainer(run: string): Promise<void> {
    await leases.release(run);
  }

  /**
   * Brings the run's model to `target` steps and publishes it as that version. Any number of attempts on any hosts give
   * the same weights: what is alive goes on, what is lost is restored from the last checkpoint and its steps repeated.
   */
  async function trainTo({ plan, target }: TrainToInput): Promise<TrainToResult> {
    const { cancellationSignal: signal } = Context.current();
    const settings = await settingsOf(plan.settingsRef);
    const config = trainingConfig(settings);
    const access = await deps.engine(config.engine);
    const run = plan.runId;
    await leases.claim(run);
    const before = await readTrainer(store, run);
    const fresh = target > 0 && before?.applied !== target ? await loadStep(run, target - 1) : null;
    if (fresh !== null && !hasTokens(fresh.groups, settings)) return { kind: 'empty' };

    const apply: LiveModelOptions['apply'] = async (step, handle, firstSeq) => {
      const { batch, groups } = fresh?.batch.step === step ? fresh : await loadStep(run, step);
      const started = performance.now();
      const reference = config.engine.init === undefined ? null : await startSnapshot(run);
      const update = await runUpdate(
        {
          ...{ engine: access.engine, handle, groups, reference, firstSeq },
          algorithm: resolveAlgorithm(config.algorithm),
          optimiser: config.optimiser,
          learningRates: batch.learningRates,
          tokenBudget: config.tokenBudget,
          version: step,
          onProgress: (phase, done, of) => Context.current().heartbeat({ step, phase, done, of }),
        },
        signal,
      );
      await recordStep(run, batch, update, performance.now() - started);
      return update;
    };
    const options: LiveModelOptions = {
      ...{ store, access, run, config: config.engine, seed: config.seed, apply, signal },
      keepAlive: (handle) => leases.hold(run, access.engine, handle),
    };
    const due = target % config.checkpointEvery === 0 || target === config.steps;
    const { model, result: path } = await withLiveModel(options, target, async (live) => {
      const started = performance.now();
      const snapshot = await publishModel(options, live);
      const publishedNow = live.record.published?.version !== target;
      if (target > 0 && publishedNow) await recordPublishing(run, target - 1, performance.now() - started);
      if (due) await saveCheckpoint(options, live, snapshot);
      return snapshot;
    });
    if (due) await retainCheckpoints(store, access.engine, run, config, signal);
    await retainSnapshots(store, access.engine, run, { version: target, path }, signal);
    leases.hold(run, access.engine, model.handle);
    return {
      kind: 'done',
      policy: { version: target, path, url: access.url },
      restored: model.restored,
      checkpoint: due,
    };
  }

  async function loadStep(run: string, step: number): Promise<{ batch: BatchDocument; groups: Group[] }> {
    const value = await store.documents.get(batchesOf(run), numberKey(step));
    if (value === undefined)
      throw new WideseekError('NotFound', `run ${run}: the batch of step ${step} is not in the store`);
    const batch = batchDocumentSchema.parse(value);
    return { batch, groups: await Promise.all(batch.groups.map((id) => loadGroup(store, run, id))) };
  }

  /** The weights that the run started from. Without their record another policy would be the reference, unnoticed. */
  async function startSnapshot(run: string): Promise<string> {
    const start = (await readCheckpoints(store, run)).find(({ step }) => step === 0);
    if (start) return start.snapshot;
    throw new WideseekError(
      'Internal',
      `run ${run}: the checkpoint that it started from is not in the store`,
    );
  }

  /** Keeps a step's numbers, once: a repetition after a loss has other times and the same weights. */
  async function recordStep(
    run: string,
    batch: BatchDocument,
    update: Awaited<ReturnType<typeof runUpdate>>,
    trainMs: number,
  ): Promise<void> {
    const key = numberKey(batch.step);
    const documents = await Promise.all(
      batch.groups.map(async (id) => groupDocumentSchema.parse(await store.documents.get(groupsOf(run), id))),
    );
    if ((await store.documents.get(stepsOf(run), key)) === undefined) {
      const measured = { at: now(), trainMs, version: batch.step };
      await store.documents.put(stepsOf(run), key, stepDocument(batch, documents, update, measured));
    }
    for (const { id, fate } of documents)
      if (fate.kind === 'ready') await setFate(store, run, id, { kind: 'trained', step: batch.step });
  }

  /** Adds the time of publishing to a step's numbers, once. */
  async function recordPublishing(run: string, step: number, publishMs: number): Promise<void> {
    const value = await store.documents.get(stepsOf(run), numberKey(step));
    if (value === undefined) return;
    const known = stepDocumentSchema.parse(value);
    if (known.metrics['time/sync_weights'] !== undefined) return;
    await store.documents.put(stepsOf(run), numberKey(step), withPublishing(known, publishMs));
  }

  return {
    acquireTrainer: withTypedFailures('trainer', acquireTrainer),
    releaseTrainer: withTypedFailures('trainer', releaseTrainer),
    trainTo: withTypedFailures('trainer', trainTo),
  };
}
export type TrainerActivities = ReturnType<typeof createTrainerActivities>;

/** Whether the batch holds a single token to learn from. */
function hasTokens(groups: readonly Group[], settings: TrainSettings): boolean {
  const { filter } = resolveAlgorithm(settings.config.algorithm).batch;
  return groups.some(({ rollouts }) => {
    const rewards = rollouts.flatMap(({ outcome }) => (outcome.kind === 'scored' ? [outcome.reward] : []));
    return (
      noSignal(rewards, filter) === null &&
      rollouts.some((rollout) =>
        trainableTurns(rollout).some(({ responseTokens }) => responseTokens.length > 0),
      )
    );
  });
}
