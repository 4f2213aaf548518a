import { writeGroup } from '../../domain/rl/record.ts';
import { numberKey } from '../../domain/rl/names.ts';
import type { Store } from '../store/port.ts';
import { loadGroup } from './group.ts';
import { groupDocumentSchema, groupsOf, stepDocumentSchema, stepsOf } from './records.ts';

/** A run's groups with all tokens, one JSON line each, in the order of their ids; `readGroup` reads them back. */
export async function* exportGroups(store: Store, run: string): AsyncGenerator<string> {
  for (const { key } of await store.documents.list(groupsOf(run)))
    yield JSON.stringify(writeGroup(await loadGroup(store, run, key)));
}

/** A run's steps for `metrics.jsonl`: one JSON line each, numbers by metric name at the top level. */
export async function* exportMetrics(store: Store, run: string): AsyncGenerator<string> {
  for (const { value } of await store.documents.list(stepsOf(run))) {
    const { step, metrics, ...rest } = stepDocumentSchema.parse(value);
    yield JSON.stringify({ step, ...metrics, ...rest });
  }
}

/** Where every group of a run ended: none is without a line. */
export async function groupFates(store: Store, run: string) {
  const documents = await store.documents.list(groupsOf(run));
  return documents.map(({ value }) => {
    const { id, questionId, admittedAt, closed, fate } = groupDocumentSchema.parse(value);
    return { id, questionId, admittedAt, closed, fate };
  });
}

/** Numbers of one step; undefined where it has not been taken. */
export async function stepOf(store: Store, run: string, step: number) {
  const value = await store.documents.get(stepsOf(run), numberKey(step));
  return value === undefined ? undefined : stepDocumentSchema.parse(value);
}
