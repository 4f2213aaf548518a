import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStore } from '../../activities/store/open.ts';
import type { Store } from '../../activities/store/port.ts';
import { findRun } from './find-run.ts';

let store: Store;
beforeAll(async () => {
  store = await openStore('sqlite::memory:');
  for (const runId of ['20260101-1200-rivers-asia-aaaa', '20260101-1201-rivers-asia-bbbb']) {
    await store.runs.save({
      ...{ runId, kind: 'seek', workflowId: `seek/${runId}`, title: 't', config: 'ask', status: 'ok' },
      ...{ stopReason: 'answered', startedAt: 1, finishedAt: 2, resultRef: null },
    });
  }
});
afterAll(() => store.close());

test.each(['20260101-1201-rivers-asia-bbbb', 'seek/20260101-1201-rivers-asia-bbbb', 'bbbb', ' 1201-riv '])(
  '%j names the run',
  async (name) => expect((await findRun(store, name)).runId).toBe('20260101-1201-rivers-asia-bbbb'),
);

test('a part that several runs have lists them; too short a part and an unknown one are not found', async () => {
  await expect(findRun(store, 'rivers')).rejects.toThrow(
    /run: "rivers" fits 2 runs\. Name one in full: .*aaaa/,
  );
  await expect(findRun(store, 'bb')).rejects.toThrow('there is no run "bb"');
  await expect(findRun(store, 'zzzz')).rejects.toThrow('there is no run "zzzz"');
});
