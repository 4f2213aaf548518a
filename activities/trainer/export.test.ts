import { afterEach, beforeEach, expect, test } from 'vitest';
import { numberKey } from '../../domain/rl/names.ts';
import { readGroup } from '../../domain/rl/record.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/port.ts';
import { exportGroups, exportMetrics, groupFates, stepOf } from './export.ts';
import { type StepDocument, stepsOf } from './records.ts';
import { factsWith, groupWith, storeGroup } from './testing.fake.ts';

let store: Store;
beforeEach(async () => void (store = await openStore(':memory:')));
afterEach(() => store.close());

const all = async (lines: AsyncGenerator<string>): Promise<unknown[]> => {
  const found: unknown[] = [];
  for await (const line of lines) {
    expect(line).not.toContain('\n');
    found.push(JSON.parse(line));
  }
  return found;
};
const step = (number: number, metrics: Record<string, number>): StepDocument => ({
  ...{ step: number, version: number, at: 5, metrics, staleness: { 0: 4 }, stopReasons: {} },
  ...{ groups: ['g1'], expired: [], filtered: [], excluded: [] },
});

test('groups are exported with all tokens, in order, and can be read back', async () => {
  const groups = [groupWith('g00000001', [1, 0]), groupWith('g00000000', [0, 0.25])];
  for (const group of groups) await storeGroup(store, 'r', group);
  await storeGroup(store, 'other', groupWith('g00000002', [1, 0]));
  const lines = await all(exportGroups(store, 'r'));
  expect(lines.map((line, i) => readGroup(line, `line ${i}`))).toEqual([groups[1], groups[0]]);
});

test('a group of which every rollout failed is exported as what it is', async () => {
  const failed = factsWith({ kind: 'failed', reason: 'model_outage', reward: null, score: null });
  const fate = { kind: 'failed', reason: 'model_outage' } as const;
  await storeGroup(store, 'r', groupWith('g00000000', []), {
    closed: 'all_failed',
    fate,
    rollouts: [failed],
  });
  const [line] = await all(exportGroups(store, 'r'));
  expect(readGroup(line, 'line').rollouts).toEqual([
    expect.objectContaining({ turns: [], outcome: { kind: 'failed', reason: 'model_outage' } }),
  ]);
  expect(await groupFates(store, 'r')).toEqual([
    { id: 'g00000000', questionId: 'q-g00000000', admittedAt: 0, closed: 'all_failed', fate },
  ]);
});

test('steps are exported with their numbers at the top level, in order', async () => {
  for (const number of [10, 2])
    await store.documents.put(stepsOf('r'), numberKey(number), step(number, { 'train/actor/lr': number }));
  expect(await all(exportMetrics(store, 'r'))).toEqual([
    expect.objectContaining({ step: 2, 'train/actor/lr': 2, staleness: { 0: 4 } }),
    expect.objectContaining({ step: 10, 'train/actor/lr': 10, groups: ['g1'] }),
  ]);
  expect(await stepOf(store, 'r', 2)).toEqual(step(2, { 'train/actor/lr': 2 }));
  expect(await stepOf(store, 'r', 3)).toBeUndefined();
});

test('records that cannot be read are errors, never left out', async () => {
  await store.documents.put(stepsOf('r'), numberKey(0), { step: 0, metrics: { loss: 'NaN' } });
  await expect(all(exportMetrics(store, 'r'))).rejects.toThrow();
  await expect(stepOf(store, 'r', 0)).rejects.toThrow();
});
