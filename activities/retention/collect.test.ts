import { afterEach, beforeEach, expect, it } from 'vitest';
import type { RunRecord } from '../../domain/run.ts';
import { samplesCollection } from '../../domain/scoring/samples.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/port.ts';
import { publishPolicy } from '../trainer/policy.ts';
import { checkpointsOf, groupsOf, snapshotsOf, TRAININGS } from '../trainer/records.ts';
import { collectGarbage } from './collect.ts';
import type { TrainedWeights } from './weights.ts';

const DAY = 86_400_000;
/** Two months on: what is written now is old by then. */
const now = Date.now() + 60 * DAY;
let store: Store;
let removed: string[];
beforeEach(async () => {
  store = await openStore('sqlite::memory:');
  removed = [];
});
afterEach(() => store.close());

const collect = (
  change: {
    dryRun?: boolean;
    open?: Record<string, number>;
    removeWeights?: (one: TrainedWeights) => Promise<number>;
  } = {},
) =>
  collectGarbage(store, {
    ...{ now, olderThanMs: 30 * DAY, dryRun: change.dryRun ?? false },
    open: new Map(Object.entries(change.open ?? {})),
    removeWeights: async (one, dryRun) => {
      const size = (await change.removeWeights?.(one)) ?? 7;
      if (!dryRun) removed.push(one.path);
      return size;
    },
  });
const saveRun = (workflowId: string, change: Partial<RunRecord> = {}): Promise<void> =>
  store.runs.save({
    ...{
      runId: workflowId.split('/').slice(1).join('-'),
      kind: 'seek',
      workflowId,
      title: '',
      config: 'ask',
    },
    ...{ status: 'ok', stopReason: 'answered', startedAt: now - 59 * DAY, finishedAt: now - 58 * DAY },
    ...{ resultRef: null },
    ...change,
  });
const saveTraining = async (run: string, settings: unknown, change: Partial<RunRecord> = {}) => {
  await saveRun(`train/${run}`, { kind: 'train', ...change });
  const settingsRef = await store.put(JSON.stringify(settings));
  await store.documents.put(TRAININGS, run, { settingsRef });
  await store.documents.put(checkpointsOf(run), '1', {
    ...{ step: 1, path: `tinker://${run}_model/weights/s1`, snapshot: `tinker://${run}_model/s1` },
    ...{ url: 'http://engine', score: null, kept: true },
  });
  await store.documents.put(snapshotsOf(run), '0', { path: `tinker://${run}_model/s0`, removed: true });
  await store.documents.put(groupsOf(run), 'g1', { rollouts: [{ ref: await store.put(`rollout ${run}`) }] });
};
const ids = async (): Promise<string[]> => (await store.retention.runs()).map(({ runId }) => runId).sort();
const young = { startedAt: now - 2 * DAY, finishedAt: now - DAY };

it('removes an old training with its rollouts and weights; a dry run says the same and does nothing', async () => {
  await saveTraining('old', { engine: {} });
  await saveRun('train/old/g1/0', { runId: 'rollout-of-old' });
  await publishPolicy(store.documents, 'old', {
    version: 2,
    path: 'tinker://old_model/s2',
    url: 'http://engine',
  });
  const counted = await collect({ dryRun: true });
  expect(counted).toMatchObject({ runs: 2, weights: { rows: 3, bytes: 21 }, content: { rows: 2 } });
  expect([await ids(), removed]).toEqual([['old', 'rollout-of-old'], []]);
  expect(await collect()).toEqual(counted);
  expect(await ids()).toEqual([]);
  expect(removed.sort()).toEqual([
    'tinker://old_model/s1',
    'tinker://old_model/s2',
    'tinker://old_model/weights/s1',
  ]);
  expect(await store.documents.list(groupsOf('old'))).toEqual([]);
  expect(await collect()).toMatchObject({ runs: 0, weights: { rows: 0 }, content: { rows: 0 } });
});

it('keeps a training whose weights others start from, and those that it started from itself', async () => {
  await saveTraining('first', {});
  await saveTraining('second', { engine: { init: 'tinker://first_model/weights/s1' } });
  await saveTraining('unrelated', {});
  await saveTraining('young', { engine: { init: 'tinker://second_model/weights/s1' } }, young);
  expect(await collect()).toMatchObject({ runs: 1, needed: ['first', 'second'] });
  expect(await ids()).toEqual(['first', 'second', 'young']);
  expect(removed.every((path) => path.startsWith('tinker://unrelated_model/'))).toBe(true);
  expect(await store.documents.list(groupsOf('first'))).toHaveLength(1);
});

it('keeps the last good evaluation of a configuration with its samples, and the policy that an evaluation measured', async () => {
  for (const run of ['good', 'bad', 'young']) {
    await saveRun(`eval/${run}`, { kind: 'evaluate', ...(run === 'young' ? young : {}) });
    await store.documents.put(samplesCollection(run), 'q/0', {});
  }
  await saveRun('eval/good/q/0');
  await saveTraining('measured', {});
  await store.documents.put('evaluations', 'young', {
    settings: { 'models.default.tokens.policy': 'measured' },
  });
  await store.documents.put('last-good', 'hash', 'good');
  expect(await collect()).toMatchObject({ runs: 1, needed: ['good', 'measured'] });
  expect(await ids()).toEqual(['good', 'good-q-0', 'measured', 'young']);
  expect(await store.documents.list(samplesCollection('good'))).toHaveLength(1);
  expect(await store.documents.list(samplesCollection('bad'))).toEqual([]);
});

it('keeps what is open on the server, and all that was written since it began', async () => {
  await saveRun('seek/resumed', { status: 'partial' });
  const held = await store.put('only the history of the workflow names this');
  await collect({ open: { 'seek/resumed': now - DAY } });
  expect(await ids()).toEqual(['resumed']);
  expect(await store.get(held)).toContain('only the history');
  await collect();
  expect(await ids()).toEqual([]);
  await expect(store.get(held)).rejects.toMatchObject({ type: 'NotFound' });
});

it('keeps a training whose engine does not answer, and finishes it once it does', async () => {
  await saveTraining('far', {});
  const away = () => Promise.reject(new Error('away'));
  expect(await collect({ removeWeights: away })).toMatchObject({ runs: 0, unreachable: ['far'] });
  expect(await ids()).toEqual(['far']);
  expect(await collect()).toMatchObject({ runs: 1, unreachable: [] });
});
