import { NativeConnection, Worker } from '@temporalio/worker';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { openStore } from '../../../activities/store/open.ts';
import type { Store } from '../../../activities/store/port.ts';
import { TASK_QUEUE } from '../../../domain/run.ts';
import type { EvaluateInput } from '../../../domain/scoring/evaluation-plan.ts';
import { samplesCollection } from '../../../domain/scoring/samples.ts';
import { storeUrl, wideseekHome } from '../../../infra/local/home.ts';
import { loadEvaluation } from '../load.ts';
import { evaluationOf, madeEvaluation, putEvaluation } from './made.ts';

export const createFakeActivities = (store: Store) => ({
  /** Makes up an evaluation. Unless it is resumed, one of 7 questions stays unscored. */
  make: async (runId: string, { config, limit = 3, set = {}, resume }: EvaluateInput) => {
    const k = Number(set['samples'] ?? 2);
    await madeEvaluation({ runId, questions: limit, samples: k }, store);
    const { samples } = await loadEvaluation(store, runId);
    const scored = samples.map((sample, index) => ({
      ...sample,
      ...(limit === 7 && !resume && index === 0
        ? { status: 'unscored', reason: 'judge: connection refused', scores: null }
        : { status: 'ok', reason: '', scores: { score: 0, f1_by_row: 0.2, f1_by_item: 0.5 } }),
    }));
    const settings = { samples: k, set };
    await putEvaluation(
      store,
      evaluationOf({ runId, config, questions: limit, samples: k, settings }),
      scored,
    );
    const unscored = scored.filter(({ scores }) => scores === null).length;
    return {
      ...{
        runId,
        complete: unscored === 0,
        samples: scored.length,
        scored: scored.length - unscored,
        unscored,
      },
      headline: { 'f1_by_item.avg': 0.5 },
      metricRef: await store.put(samplesCollection(runId)),
    };
  },
});
export type FakeActivities = ReturnType<typeof createFakeActivities>;

export const fakeWorkflowsPath = fileURLToPath(new URL('./fake-workflows.ts', import.meta.url));

const isEntry = process.argv[1] !== undefined && fileURLToPath(import.meta.url) === process.argv[1];
if (isEntry) {
  const store = await openStore(storeUrl(wideseekHome()));
  const worker = await Worker.create({
    connection: await NativeConnection.connect({ address: process.env.TEMPORAL_ADDRESS ?? '' }),
    taskQueue: TASK_QUEUE,
    workflowsPath: fakeWorkflowsPath,
    activities: createFakeActivities(store),
    shutdownGraceTime: '1 second',
  });
  createServer((_, reply) => reply.writeHead(worker.getState() === 'RUNNING' ? 200 : 503).end()).listen(
    Number(process.env.WIDESEEK_HEALTH_PORT),
    '127.0.0.1',
  );
  await worker.run();
  process.exit(0);
}
