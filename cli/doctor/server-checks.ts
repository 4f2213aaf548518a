import { setTimeout as sleep } from 'node:timers/promises';
import { loadQueues } from '../../configs/workers-schema.ts';
import { TASK_QUEUE } from '../../domain/run.ts';
import { missingSearchAttributes } from '../../infra/local/search-attributes.ts';
import type { Io } from '../io.ts';
import { openSession, type Session } from '../run/session.ts';
import { examine, type Finding } from './check.ts';

/** Numbers of `temporal.api.enums.v1.TaskQueueType`. */
const QUEUE_TYPE = { workflow: 1, activity: 2 } as const;

const pollers = async ({ client }: Session, name: string, type: keyof typeof QUEUE_TYPE): Promise<number> => {
  const reply = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name },
    taskQueueType: QUEUE_TYPE[type],
  });
  return reply.pollers?.length ?? 0;
};

const checkQueue = (session: Session, queue: string): Promise<Finding> =>
  examine(`queue ${queue}`, async () => {
    const types = queue === TASK_QUEUE ? (['workflow', 'activity'] as const) : (['activity'] as const);
    // A worker that has just started is known to the server a moment later.
    for (let n = 0; n < 20; n++, await sleep(250)) {
      const counts = await Promise.all(types.map((type) => pollers(session, queue, type)));
      if (counts.every((count) => count > 0))
        return { state: 'ok', detail: `${Math.min(...counts)} polling` };
    }
    return { state: 'fail', detail: 'no worker polls it', hint: 'Start one: wideseek worker' };
  });

const checkAttributes = (session: Session): Promise<Finding> =>
  examine('search attributes', async () => {
    const { namespace } = session.client.options;
    const missing = await missingSearchAttributes(session.connection, namespace);
    if (missing.length === 0) return { state: 'ok', detail: 'registered' };
    return {
      state: 'fail',
      detail: `missing in namespace ${namespace}: ${missing.join(', ')}`,
      hint: 'Register each: temporal operator search-attribute create --name NAME --type Keyword (WideseekScore: Double)',
    };
  });

/** Brings the stack up as `ask` would, looks at it, and lets it go again. */
export const checkServer = async (io: Io): Promise<Finding[]> => {
  let session: Session | undefined;
  const server = await examine('server and worker', async () => {
    session = await openSession(io);
    const { address } = session;
    return { state: 'ok', detail: `Temporal answers at ${address}, a worker is ready` };
  });
  if (!session) return [server];
  try {
    const queues = [...(await loadQueues()).keys()];
    const opened = session;
    return [
      server,
      await checkAttributes(opened),
      ...(await Promise.all(queues.map((queue) => checkQueue(opened, queue)))),
    ];
  } finally {
    await session.close();
  }
};
