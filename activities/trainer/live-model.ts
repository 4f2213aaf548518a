import type { EngineConfig } from '../../configs/train-schema.ts';
import { WideseekError } from '../../domain/errors.ts';
import { numberKey } from '../../domain/rl/names.ts';
import type { Store } from '../store/port.ts';
import type { ModelHandle, TrainingEngine } from './port.ts';
import { publishPolicy } from './policy.ts';
import {
  type Checkpoint,
  checkpointSchema,
  checkpointsOf,
  TRAINERS,
  type TrainerRecord,
  trainerRecordSchema,
} from './records.ts';

/** An engine as this host reaches it. */
export interface EngineAccess {
  engine: TrainingEngine;
  /** Address under which other processes sample from it. */
  url: string;
}

export interface LiveModelOptions {
  store: Store;
  access: EngineAccess;
  run: string;
  config: EngineConfig;
  seed: number;
  /**
   * Applies step `step` (0 is the first) to the model; its calls take the numbers from `firstSeq`. Returns the next free
   * number. Must do the same each time it is called for a step.
   */
  apply: (step: number, handle: ModelHandle, firstSeq: number) => Promise<{ nextSeq: number }>;
  signal: AbortSignal;
  /** Tells that a handle is in use, so that its session is kept alive between calls. */
  keepAlive: (handle: ModelHandle | null) => void;
}

export interface LiveModel {
  handle: ModelHandle;
  record: TrainerRecord;
  /** The engine had lost the model, or never had it. */
  restored: boolean;
}

const handleOf = ({ modelId, sessionId }: TrainerRecord): ModelHandle => ({ modelId, sessionId });

/**
 * The run's model with exactly `target` steps in its weights. A model that lives is used as it is: a step that was cut
 * short is sent again under the same sequence numbers, which changes nothing that has happened. A model that is gone, or
 * is further than `target`, is created again from the last checkpoint that the engine has, and the steps since it follow
 * in order.
 */
export async function liveModel(options: LiveModelOptions, target: number): Promise<LiveModel> {
  const { store, run, apply } = options;
  const known = await readTrainer(store, run);
  let record = known !== null && known.applied <= target && (await lives(options, known)) ? known : null;
  const restored = record === null;
  record ??= await restore(options, target);
  options.keepAlive(handleOf(record));
  while (record.applied < target) {
    const { nextSeq } = await apply(record.applied, handleOf(record), record.nextSeq);
    record = { ...record, applied: record.applied + 1, nextSeq, badReplies: 0 };
    await store.documents.put(TRAINERS, run, record);
  }
  return { handle: handleOf(record), record, restored };
}

async function lives({ access, signal }: LiveModelOptions, record: TrainerRecord): Promise<boolean> {
  if (record.url !== access.url) return false;
  try {
    await access.engine.heartbeat(handleOf(record), signal);
    return true;
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

/** Losses within one call that are made good without asking anybody. */
const LOSSES = 5;
/**
 * Replies of one step that could not be used, after which its model is given up. A sequence number has the same reply for
 * ever, so asking again mends a garbled transfer and never a reply that is garbled on the engine.
 */
const SPOILT = 3;

/**
 * The model at `target` steps, and what is done with it. An engine that loses the model meanwhile, because it was started
 * again, costs the steps since the last checkpoint and nothing else. A model whose replies cannot be used is restored
 * once; where the restored one's cannot either, throws `Internal`, which nobody tries again.
 */
export async function withLiveModel<T>(
  options: LiveModelOptions,
  target: number,
  use: (model: LiveModel) => Promise<T>,
): Promise<{ model: LiveModel; result: T }> {
  for (let losses = 0; ; losses += 1) {
    try {
      const model = await liveModel(options, target);
      return { model, result: await use(model) };
    } catch (error) {
      if (error instanceof WideseekError && error.type === 'BadReply') await afterBadReply(options, error);
      if (!isGone(error) || losses === LOSSES) throw error;
    }
  }
}

/** Counts it. The third unloads the model, so that the next attempt restores it; the sixth ends the attempts. */
async function afterBadReply(
  { store, run, access, signal }: LiveModelOptions,
  error: WideseekError,
): Promise<void> {
  const record = await readTrainer(store, run);
  if (record === null) return;
  const badReplies = record.badReplies + 1;
  await store.documents.put(TRAINERS, run, { ...record, badReplies });
  if (badReplies % SPOILT !== 0) return;
  await access.engine.unload(handleOf(record), signal).catch(() => undefined);
  if (badReplies > SPOILT)
    throw new WideseekError(
      'Internal',
      `step ${record.applied}: ${error.message}; the same after the model was restored`,
      {
        hint: 'The weights have probably diverged: resume from the last checkpoint with a lower learning rate',
        cause: error,
      },
    );
}

/** Whether an engine says that it does not have the model. */
export const isGone = (error: unknown): boolean =>
  error instanceof WideseekError && error.type === 'NotFound';

/**
 * The model from its newest checkpoint that the engine still has. One that is gone costs the steps since the one before
 * it: every step's batch is in the store. Throws what the engine said of the oldest start where it has none.
 */
async function restore(options: LiveModelOptions, target: number): Promise<TrainerRecord> {
  const { store, run, access, config, seed, signal } = options;
  const { baseModel, rank } = config;
  const usable = (await readCheckpoints(store, run)).filter(({ step, kept }) => kept && step <= target);
  const starts = [...usable.reverse(), { step: 0, path: config.init }];
  const badReplies = (await readTrainer(store, run))?.badReplies ?? 0;
  await access.engine.ready(signal);
  for (const [index, { step, path }] of starts.entries()) {
    const from = path === undefined ? {} : { restore: path };
    try {
      const handle = await access.engine.createModel({ baseModel, rank, seed, ...from }, signal);
      const record: TrainerRecord = {
        ...{ url: access.url, ...handle },
        ...{ applied: step, nextSeq: 1, published: null, badReplies },
      };
      await store.documents.put(TRAINERS, run, record);
      return record;
    } catch (error) {
      if (!isGone(error) || index === starts.length - 1) throw error;
    }
  }
  throw new WideseekError('Internal', 'no start was tried');
}

/** Publishes the model's weights as the version that equals its steps, unless this very model has done so. */
export async function publishModel(
  { store, run, access, signal }: Pick<LiveModelOptions, 'store' | 'run' | 'access' | 'signal'>,
  { handle, record }: LiveModel,
): Promise<string> {
  const version = record.applied;
  const done = record.published?.version === version ? record.published.path : null;
  const path = done ?? (await access.engine.publish(handle, `v${numberKey(version)}`, signal));
  if (done === null) await store.documents.put(TRAINERS, run, { ...record, published: { version, path } });
  await publishPolicy(store.documents, run, { version, path, url: access.url });
  return path;
}

/** Saves weights and optimiser state, and only then says that the checkpoint exists. */
export async function saveCheckpoint(
  { store, run, access, signal }: Pick<LiveModelOptions, 'store' | 'run' | 'access' | 'signal'>,
  { handle, record }: LiveModel,
  snapshot: string,
): Promise<Checkpoint> {
  const step = record.applied;
  const known = (await readCheckpoints(store, run)).find((one) => one.step === step && one.kept);
  if (known) return known;
  const path = await access.engine.saveWeights(handle, `step-${numberKey(step)}`, signal);
  const checkpoint: Checkpoint = { step, path, snapshot, url: access.url, score: null, kept: true };
  await store.documents.put(checkpointsOf(run), numberKey(step), checkpoint);
  return checkpoint;
}

export async function readTrainer(store: Store, run: string): Promise<TrainerRecord | null> {
  const value = await store.documents.get(TRAINERS, run);
  return value === undefined ? null : trainerRecordSchema.parse(value);
}

/** All checkpoints of a run by step, deleted ones included (`kept` false). */
export async function readCheckpoints(store: Store, run: string): Promise<Checkpoint[]> {
  return (await store.documents.list(checkpointsOf(run))).map(({ value }) => checkpointSchema.parse(value));
}
