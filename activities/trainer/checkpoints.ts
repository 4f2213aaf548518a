import type { TrainConfig } from '../../configs/train-schema.ts';
import { numberKey } from '../../domain/rl/names.ts';
import type { Store } from '../store/port.ts';
import { readCheckpoints } from './live-model.ts';
import type { TrainingEngine } from './port.ts';
import { type Checkpoint, checkpointsOf, snapshotSchema, snapshotsOf } from './records.ts';

/**
 * Which checkpoints stay: the start (a KL reference and the last resort), the newest, and the best by dev score, ties to
 * the older one.
 */
export function wanted(
  checkpoints: readonly Checkpoint[],
  { keepLast, keepBest }: Pick<TrainConfig, 'keepLast' | 'keepBest'>,
): Set<number> {
  const kept = checkpoints.filter((one) => one.kept);
  const scored = kept.filter((one) => one.score !== null);
  scored.sort((a, b) => (b.score ?? 0) - (a.score ?? 0) || a.step - b.step);
  return new Set([
    0,
    ...kept.slice(-keepLast).map(({ step }) => step),
    ...scored.slice(0, keepBest).map(({ step }) => step),
  ]);
}

/** Marks the others as gone, then deletes them where the engine can: a crash between the two only leaves a file behind. */
export async function retainCheckpoints(
  store: Store,
  engine: TrainingEngine,
  run: string,
  config: Pick<TrainConfig, 'keepLast' | 'keepBest'>,
  signal: AbortSignal,
): Promise<void> {
  const checkpoints = await readCheckpoints(store, run);
  const stay = wanted(checkpoints, config);
  for (const checkpoint of checkpoints) {
    if (!checkpoint.kept || stay.has(checkpoint.step)) continue;
    await store.documents.put(checkpointsOf(run), numberKey(checkpoint.step), { ...checkpoint, kept: false });
    await engine.remove?.(checkpoint.path, signal).catch(() => undefined);
  }
}

/** Writes the dev score of a step's checkpoint, where there is one. */
export async function scoreCheckpoint(store: Store, run: string, step: number, score: number): Promise<void> {
  const checkpoint = (await readCheckpoints(store, run)).find((one) => one.step === step);
  if (checkpoint) await store.documents.put(checkpointsOf(run), numberKey(step), { ...checkpoint, score });
}

/** Published versions that stay besides the newest: turns that were under way when it came still sample from them. */
const OLDER_VERSIONS = 4;
/** Snapshot records kept; older ones were removed long ago. */
const RECORDS = 100;

/**
 * Deletes published weights that no turn and no kept checkpoint needs: without it a run leaves a copy of the model for
 * every step. What the engine will not delete now is tried again at the next step.
 */
export async function retainSnapshots(
  store: Store,
  engine: TrainingEngine,
  run: string,
  published: { version: number; path: string },
  signal: AbortSignal,
): Promise<void> {
  const collection = snapshotsOf(run);
  await store.documents.put(collection, numberKey(published.version), {
    path: published.path,
    removed: false,
  });
  const needed = new Set(
    (await readCheckpoints(store, run)).filter(({ kept }) => kept).map(({ snapshot }) => snapshot),
  );
  for (const { key, value } of await store.documents.list(collection)) {
    const { path, removed } = snapshotSchema.parse(value);
    const old = key <= numberKey(Math.max(0, published.version - OLDER_VERSIONS - 1));
    if (removed || !old || path === published.path || needed.has(path)) continue;
    try {
      await engine.remove?.(path, signal);
    } catch {
      continue;
    }
    await store.documents.put(collection, key, { path, removed: true });
  }
  await store.documents.trim(collection, RECORDS);
}
