import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Runtime } from '@temporalio/worker';
import { openStore } from '../../activities/store/open.ts';
import { loadQueues } from '../../configs/workers-schema.ts';
import { createActivities } from '../../workers/activities.ts';
import { workflowBundle } from '../../workers/bundle.ts';
import { startWorkers } from '../../workers/worker.ts';
import { createBenchModel, createBenchSearch } from './fakes.ts';
import { takeFrom } from './contestants/contestant.ts';
import { type FromWorker, orderSchema } from './worker-port.ts';

/**
 * The engine's worker in a process of its own, so that its CPU can be counted: real workflows, activities and store,
 * the queues of `configs/workers.yaml`, fake model and search. Arguments: server address, store URL.
 */
const [address = '', storeUrl = ''] = process.argv.slice(2);
const nothing = (): void => undefined;
Runtime.install({
  shutdownSignals: [],
  logger: {
    log: nothing,
    trace: nothing,
    debug: nothing,
    info: nothing,
    warn: nothing,
    error: console.error,
  },
});

const counts = { model: 0, tool: 0 };
const model = createBenchModel(counts);
const search = createBenchSearch(counts);
const store = await openStore(storeUrl);
const workers = await startWorkers({
  address,
  queues: await loadQueues(),
  activities: createActivities(store, {
    model: () => model,
    isLocalModel: () => true,
    search: () => Promise.resolve(search),
    isLocalSearch: () => true,
  }),
  workflowBundle: await workflowBundle(join(tmpdir(), 'wideseek-bench-bundles')),
});

const tell = (message: FromWorker): boolean => process.send!(message);
process.on('message', (message) => {
  const order = orderSchema.parse(message);
  if (order.do === 'counts') tell({ did: 'counts', counts: takeFrom(counts) });
  else void stop();
});
process.on('disconnect', () => void stop());
tell({ did: 'start' });

async function stop(): Promise<void> {
  await workers.stop();
  await store.close();
  process.exit(0);
}
