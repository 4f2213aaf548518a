/** A worker with made-up trainings on a real Temporal server: what the command line needs, and no more. */
import { NativeConnection, Worker } from '@temporalio/worker';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { openStore } from '../../../activities/store/open.ts';
import type { Store } from '../../../activities/store/port.ts';
import type { RunRecord } from '../../../domain/run.ts';
import { TASK_QUEUE } from '../../../domain/run.ts';
import { storeUrl, wideseekHome } from '../../../infra/local/home.ts';
import { madeRun, madeStep } from './made.ts';

const createFakeActivities = (store: Store) => ({
  /** The run's records as the real activities leave them: list entry, settings, steps, a checkpoint. */
  make: async (runId: string, workflowId: string, steps: number, status: RunRecord['status']) => {
    const startedAt = Date.now();
    await store.runs.save({ ...madeRun, ...{ runId, workflowId, startedAt, status } });
    const settingsRef = await store.put('{}');
    await store.documents.put('trainings', runId, {
      runId,
      settingsRef,
      configHash: '',
      startedAt,
      state: null,
    });
    for (let step = 0; step < steps; step += 1)
      await store.documents.put(`steps/${runId}`, String(step).padStart(8, '0'), madeStep(step));
    if (steps > 0)
      await store.documents.put(`checkpoints/${runId}`, '1', {
        ...{ step: steps, path: `tinker://m/weights/${runId}`, snapshot: 'tinker://m/v1' },
        ...{ url: 'http://127.0.0.1:1', score: null, kept: true },
      });
  },
});
export type FakeActivities = ReturnType<typeof createFakeActivities>;

const store = await openStore(storeUrl(wideseekHome()));
const worker = await Worker.create({
  connection: await NativeConnection.connect({ address: process.env.TEMPORAL_ADDRESS ?? '' }),
  taskQueue: TASK_QUEUE,
  workflowsPath: fileURLToPath(new URL('./fake-workflows.ts', import.meta.url)),
  activities: createFakeActivities(store),
  shutdownGraceTime: '1 second',
});
createServer((_, reply) => reply.writeHead(worker.getState() === 'RUNNING' ? 200 : 503).end()).listen(
  Number(process.env.WIDESEEK_HEALTH_PORT),
  '127.0.0.1',
);
await worker.run();
process.exit(0);
