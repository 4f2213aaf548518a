import type { Store } from '../store/port.ts';
import { readPolicy } from '../trainer/policy.ts';
import { checkpointSchema, checkpointsOf, snapshotSchema, snapshotsOf } from '../trainer/records.ts';

/** Weights that a training may still have on its engine. */
export interface TrainedWeights {
  /** `tinker://MODEL/weights/NAME` or `tinker://MODEL/NAME`. */
  path: string;
  /** Where the engine was; null where nothing says. */
  url: string | null;
}

/** Checkpoints and published snapshots of a training that were not removed before; each path once. */
export async function weightsOf(store: Pick<Store, 'documents'>, run: string): Promise<TrainedWeights[]> {
  const { documents } = store;
  const policy = await readPolicy(documents, run).catch(() => undefined);
  const found = new Map<string, string | null>();
  const add = (path: string | null, url: string | null): void => {
    if (path !== null && !found.get(path)) found.set(path, url);
  };
  let url = policy?.url ?? null;
  for (const { value } of await documents.list(checkpointsOf(run))) {
    const { data } = checkpointSchema.safeParse(value);
    if (!data) continue;
    url ??= data.url;
    if (data.kept) add(data.path, data.url);
    if (data.kept) add(data.snapshot, data.url);
  }
  for (const { value } of await documents.list(snapshotsOf(run))) {
    const { data } = snapshotSchema.safeParse(value);
    if (data && !data.removed) add(data.path, url);
  }
  add(policy?.path ?? null, url);
  return [...found].map(([path, at]) => ({ path, url: at }));
}
