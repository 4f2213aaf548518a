import { chooseRuns, type RunGroup } from '../../domain/retention.ts';
import type { Amount, Store } from '../store/port.ts';
import { neededRuns } from './references.ts';
import { type TrainedWeights, weightsOf } from './weights.ts';

export interface GarbageOptions {
  now: number;
  /** Runs that ended longer ago go. */
  olderThanMs: number;
  /** Open workflows with their start; null where no server can be asked. */
  open: ReadonlyMap<string, number> | null;
  dryRun: boolean;
  /**
   * Removes weights where they are, or only measures them; returns their bytes. What is not there is removed already.
   * Throws where the engine cannot be reached.
   */
  removeWeights: (weights: TrainedWeights, dryRun: boolean) => Promise<number>;
}

export interface GarbageReport {
  /** Runs with everything that they started. */
  runs: number;
  rows: Amount;
  documents: Amount;
  messages: Amount;
  content: Amount;
  weights: Amount;
  /** Old runs that stay because others need them. */
  needed: string[];
  /** Old trainings that stay because their engine could not be reached. */
  unreachable: string[];
}

/** A worker's clock may differ from ours, and content is read by name for a while after it was written. */
export const GRACE_MS = 86_400_000;

/**
 * Removes runs that ended more than `olderThanMs` ago, with all that only they need: their documents, calls, page reads,
 * conversations, contents and trained weights; and expired documents of any age. Open runs, what they may hold, and
 * whatever was written during the last day stay. May be killed and begun again at any moment.
 */
export async function collectGarbage(store: Store, options: GarbageOptions): Promise<GarbageReport> {
  const { now, olderThanMs, open, dryRun } = options;
  const { old, kept, keepSince } = chooseRuns(await store.retention.runs(), {
    ...{ now, cutoff: now - olderThanMs, graceMs: GRACE_MS, open },
  });
  const needed = await neededRuns(store, old, kept);
  const weights: Amount = { rows: 0, bytes: 0 };
  const unreachable: string[] = [];
  const forget: RunGroup[] = [];
  for (const group of old) {
    if (needed.has(group.root.runId)) continue;
    try {
      // Before the records that name them: what is cut short here is found again.
      for (const each of group.root.kind === 'train' ? await weightsOf(store, group.root.runId) : []) {
        weights.bytes += await options.removeWeights(each, dryRun);
        weights.rows += 1;
      }
      forget.push(group);
    } catch {
      unreachable.push(group.root.runId);
    }
  }
  const ids = forget.flatMap(({ runs }) => runs.map(({ runId }) => runId));
  const { documents, runs, messages, blobs } = await store.retention.collect({
    ...{ now, forget: ids, keepSince, dryRun },
  });
  return {
    ...{ runs: ids.length, rows: runs, documents, messages, content: blobs, weights },
    ...{ needed: [...needed].sort(), unreachable },
  };
}
