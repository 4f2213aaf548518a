import type { TrainConfig } from '../../configs/train-schema.ts';
import { numberKey } from '../../domain/rl/names.ts';
import type { Store } from '../store/port.ts';
import { readCheckpoints } from './live-model.ts';
import type { TrainingEngine } from './port.ts';
import { type Checkpoint, checkpointsOf } from './records.ts';

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
