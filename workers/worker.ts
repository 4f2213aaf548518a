import {
  NativeConnection,
  type NativeConnectionOptions,
  Worker,
  type WorkerOptions,
} from '@temporalio/worker';
import type { DataConverter } from '@temporalio/common';
import type { QueueConfig } from '../configs/workers-schema.ts';
import { TASK_QUEUE } from '../domain/run.ts';
import { heartbeatInterceptor } from './heartbeat.ts';

export interface WorkersOptions {
  address: string;
  /** TLS and API key of a hosted server, as `infra/local/connect.ts` reads them. */
  connection?: Partial<NativeConnectionOptions>;
  namespace?: string;
  /** Queues to serve with their limits; the one named `wideseek` runs the workflows as well. */
  queues: ReadonlyMap<string, QueueConfig>;
  activities: object;
  workflowBundle: NonNullable<WorkerOptions['workflowBundle']>;
  dataConverter?: DataConverter;
  /** Workflows kept in memory; size it to the agents that are open at once. */
  maxCachedWorkflows?: number;
  plugins?: WorkerOptions['plugins'];
}

export interface RunningWorkers {
  /** State of each queue's Worker, by queue. Healthy means every one is RUNNING. */
  states: () => Record<string, string>;
  /** Stops taking work, lets running activities end within the grace time, resolves when all have stopped. */
  stop: () => Promise<void>;
  /** Rejects if a Worker dies by itself. */
  done: Promise<void>;
}

/** Running activities get this long to finish on shutdown; then they are cancelled and retried elsewhere. */
const GRACE = '10 seconds';

/**
 * Workflow tasks, and local activities, under way at once. An agent whose model is at hand holds its task while it waits
 * for a reply, so this is also how many of them an engine can answer in one batch.
 */
const AT_ONCE = 100;

/** One Temporal Worker per queue, in this process. */
export async function startWorkers(options: WorkersOptions): Promise<RunningWorkers> {
  const connection = await NativeConnection.connect({ ...options.connection, address: options.address });
  const workers = new Map<string, Worker>();
  for (const [taskQueue, queue] of options.queues) {
    const runsWorkflows = taskQueue === TASK_QUEUE;
    workers.set(
      taskQueue,
      await Worker.create({
        connection,
        namespace: options.namespace ?? 'default',
        taskQueue,
        activities: options.activities,
        ...(runsWorkflows
          ? {
              workflowBundle: options.workflowBundle,
              maxCachedWorkflows: options.maxCachedWorkflows ?? 1000,
              maxConcurrentWorkflowTaskExecutions: AT_ONCE,
              maxConcurrentLocalActivityExecutions: AT_ONCE,
            }
          : {}),
        ...(options.dataConverter ? { dataConverter: options.dataConverter } : {}),
        maxConcurrentActivityTaskExecutions: queue.concurrency,
        ...(queue.perSecond === undefined ? {} : { maxTaskQueueActivitiesPerSecond: queue.perSecond }),
        maxHeartbeatThrottleInterval: '3 seconds',
        shutdownGraceTime: GRACE,
        interceptors: { activity: [heartbeatInterceptor] },
        plugins: options.plugins ?? [],
      }),
    );
  }
  const runs = [...workers.values()].map((worker) => worker.run());
  const done = Promise.all(runs).then(() => connection.close());
  done.catch(() => undefined);
  return {
    states: () => Object.fromEntries([...workers].map(([queue, worker]) => [queue, worker.getState()])),
    stop: async () => {
      for (const worker of workers.values()) if (worker.getState() === 'RUNNING') worker.shutdown();
      await done;
    },
    done,
  };
}
