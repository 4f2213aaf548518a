import { expect, test } from 'vitest';
import { numberKey } from '../../domain/rl/names.ts';
import { openStore } from '../store/open.ts';
import { retainCheckpoints, retainSnapshots, wanted } from './checkpoints.ts';
import type { TrainingEngine } from './port.ts';
import { type Checkpoint, checkpointsOf } from './records.ts';

const signal = new AbortController().signal;
const checkpoint = (step: number, score: number | null = null): Checkpoint => ({
  step,
  path: `tinker://m/weights/step-${step}`,
  snapshot: `tinker://m/v${step}`,
  url: 'http://127.0.0.1:1',
  score,
  kept: true,
});

/** An engine of which only deleting is asked. */
function deleting(fails: () => boolean = () => false): { engine: TrainingEngine; gone: string[] } {
  const gone: string[] = [];
  const remove = (path: string): Promise<void> => {
    if (fails()) return Promise.reject(new Error('down'));
    gone.push(path);
    return Promise.resolve();
  };
  return { engine: { remove } as unknown as TrainingEngine, gone };
}

test('keeps the start, the newest and the best', () => {
  const all = [checkpoint(0), checkpoint(10, 0.7), checkpoint(20, 0.9), checkpoint(30, 0.9), checkpoint(40)];
  expect(wanted(all, { keepLast: 1, keepBest: 1 })).toEqual(new Set([0, 40, 20]));
  expect(wanted(all, { keepLast: 2, keepBest: 0 })).toEqual(new Set([0, 30, 40]));
});

test('deletes checkpoints that nobody needs, each once', async () => {
  const store = await openStore(':memory:');
  const { engine, gone } = deleting();
  for (const step of [0, 10, 20, 30])
    await store.documents.put(checkpointsOf('r'), numberKey(step), checkpoint(step));
  for (let i = 0; i < 2; i += 1)
    await retainCheckpoints(store, engine, 'r', { keepLast: 1, keepBest: 0 }, signal);
  expect(gone).toEqual(['tinker://m/weights/step-10', 'tinker://m/weights/step-20']);
  await store.close();
});

test('deletes published weights once turns have moved on, but not those of a kept checkpoint', async () => {
  const store = await openStore(':memory:');
  let down = false;
  const { engine, gone } = deleting(() => down);
  await store.documents.put(checkpointsOf('r'), numberKey(2), checkpoint(2));
  const publish = (version: number): Promise<void> =>
    retainSnapshots(store, engine, 'r', { version, path: `tinker://m/v${version}` }, signal);
  for (let version = 0; version <= 6; version += 1) await publish(version);
  expect(gone).toEqual(['tinker://m/v0', 'tinker://m/v1']);
  down = true;
  await publish(8);
  expect(gone).toHaveLength(2);
  down = false;
  await publish(9);
  expect(gone.slice(2)).toEqual(['tinker://m/v3', 'tinker://m/v4']);
  await store.close();
});
