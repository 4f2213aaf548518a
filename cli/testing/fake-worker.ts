/** A worker process with canned answers, on a real Temporal server: what the command line needs, and no more. */
import { ApplicationFailure } from '@temporalio/common';
import { NativeConnection, Worker } from '@temporalio/worker';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openStore } from '../../activities/store/open.ts';
import type { Store } from '../../activities/store/port.ts';
import { type RunRecord, type SeekResult, type StopReason, TASK_QUEUE } from '../../domain/run.ts';
import { homePaths, storeUrl, wideseekHome } from '../../infra/local/home.ts';

const recordOf = (runId: string, question: string): RunRecord => ({
  ...{ runId, kind: 'seek', workflowId: `seek/${runId}`, title: question, config: 'ask', status: 'running' },
  ...{ stopReason: null, startedAt: Date.now(), finishedAt: null, resultRef: null },
});

const resultOf = (runId: string, question: string, stopReason: StopReason): SeekResult => ({
  ...{ runId, question, stopReason, language: 'en', policy: 'canned' },
  status: stopReason === 'answered' ? 'ok' : 'partial',
  table: { columns: ['country', 'capital'], rows: [['Chad', "N'Djamena"]] },
  answer: "| country | capital |\n| --- | --- |\n| Chad | N'Djamena |",
  evidence: [{ status: 'unsupported', row: 0, column: 'capital' }],
  usage: { promptTokens: 1, completionTokens: 1, modelCalls: 1, searches: 1, pagesRead: 1, microUsd: 0 },
  ...{ agents: 2, turns: 3, notes: [] },
});

const createActivities = (store: Store, home: string) => ({
  begin: (runId: string, question: string) => store.runs.save(recordOf(runId, question)),
  /** Fails until the file `healed` is in the home. */
  mayFail: async () => {
    if (!existsSync(join(home, 'healed')))
      throw ApplicationFailure.nonRetryable('the model is away', 'model_outage');
  },
  conclude: async (runId: string, question: string, stopReason: StopReason) => {
    const result = resultOf(runId, question, stopReason);
    const resultRef = await store.put(JSON.stringify(result));
    const { status } = result;
    await store.runs.save({
      ...recordOf(runId, question),
      status,
      stopReason,
      finishedAt: Date.now(),
      resultRef,
    });
    return { runId, status, stopReason, resultRef, rows: 1, preview: '' };
  },
  buildIndex: async (config: string) => {
    const folder = join(homePaths(home).index, config);
    mkdirSync(folder, { recursive: true });
    const manifest = { format: 1, generation: 'abc', encoder: 'none', dimensions: 0, passages: 3, pages: 2 };
    writeFileSync(join(folder, 'current.json'), JSON.stringify(manifest));
    return { generation: 'abc', passages: 3, pages: 2 };
  },
});
export type FakeActivities = ReturnType<typeof createActivities>;

const home = wideseekHome();
const store = await openStore(storeUrl(home));
const worker = await Worker.create({
  connection: await NativeConnection.connect({ address: process.env.TEMPORAL_ADDRESS ?? '' }),
  taskQueue: TASK_QUEUE,
  workflowsPath: fileURLToPath(new URL('./fake-workflows.ts', import.meta.url)),
  activities: createActivities(store, home),
  shutdownGraceTime: '1 second',
});
createServer((_, reply) => reply.writeHead(worker.getState() === 'RUNNING' ? 200 : 503).end()).listen(
  Number(process.env.WIDESEEK_HEALTH_PORT),
  '127.0.0.1',
);
await worker.run();
process.exit(0);
