import { Context } from '@temporalio/activity';
import { setTimeout as sleep } from 'node:timers/promises';
import { WideseekError } from '../../domain/errors.ts';

/** Whether a worker listens on a task queue for activities, as far as the server knows; it remembers for minutes. */
export type IsServed = (queue: string) => Promise<boolean>;

/** A worker that has just started may run a workflow before its other queues are known to the server. */
const PATIENCE_MS = 8_000;
const AGAIN_MS = 250;

/** Asks the server of the worker that runs this activity. `TASK_QUEUE_TYPE_ACTIVITY` is 2 on the wire. */
export const isServedHere: IsServed = async (queue) => {
  const { client } = Context.current();
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name: queue },
    taskQueueType: 2,
  });
  return (pollers ?? []).length > 0;
};

/**
 * Makes sure that somebody serves each queue: a call on a queue that nobody serves would wait for hours without a
 * word. Throws `ConfigError` naming the queues.
 */
export async function checkQueues(
  queues: readonly (string | null)[],
  isServed: IsServed,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const wanted = [...new Set(queues.filter((queue) => queue !== null))];
  const giveUpAt = Date.now() + patienceMs;
  const missing = await Promise.all(
    wanted.map(async (queue) => {
      while (!(await isServed(queue))) {
        if (Date.now() >= giveUpAt) return queue;
        await sleep(AGAIN_MS);
      }
      return null;
    }),
  );
  const names = missing.filter((queue) => queue !== null).map((queue) => `"${queue}"`);
  if (names.length === 0) return;
  throw new WideseekError('ConfigError', `queues: no worker serves the task queue ${names.join(' and ')}`, {
    hint: 'Add it to configs/workers.yaml and start a worker that serves it (WIDESEEK_QUEUES chooses), or name another',
  });
}
