import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import type { Conclusion } from '../../../activities/run/conclude.ts';
import { seekWorkflowId, TASK_QUEUE, type SeekInput } from '../../../domain/run.ts';
import { findTemporalServer } from '../../../infra/local/find-temporal.ts';
import { freePort } from '../../../infra/local/ports.ts';
import { startTemporalServer } from '../../../infra/local/server.ts';
import { startBenchWorker } from '../worker-port.ts';
import { questionOf, type Work } from '../workload.ts';
import { type Contestant, SPARE_TURNS } from './contestant.ts';
import { type HistorySize, sizeOfRun } from './history.ts';

/** `local`: model and tools on the workflows' own queue. `remote`: on queues of their own, as paid providers are. */
export type Queues = 'local' | 'remote';

export interface Ours {
  contestants: Record<Queues, Contestant>;
  /** Workflows, events and bytes of the latest question. */
  lastHistory(): Promise<HistorySize>;
  close(): Promise<void>;
}

/**
 * The engine as a user runs it: a Temporal server on SQLite with our settings, one worker process, a SQLite store.
 * Both ways to place the queues share the server and the worker.
 */
export async function createOurs(): Promise<Ours> {
  const dir = await mkdtemp(join(tmpdir(), 'wideseek-bench-'));
  const found = await findTemporalServer(undefined, { env: { ...process.env, TEMPORAL_ADDRESS: undefined } });
  if (found.kind !== 'binary') throw new Error('there is no Temporal server to start');
  const server = await startTemporalServer({
    binary: found.path,
    dbFile: join(dir, 'temporal.db'),
    log: join(dir, 'server.log'),
    port: await freePort(),
    uiPort: await freePort(),
  });
  const worker = await startBenchWorker(server.address, `sqlite:${join(dir, 'store.db')}`);
  const connection = await Connection.connect({ address: server.address });
  const client = new Client({ connection });
  let latest = '';

  const contestant = (queues: Queues): Contestant => ({
    name: `wideseek, ${queues} queues`,
    pids: { server: server.child.process.pid, worker: worker.pid },
    run: async (work) => {
      latest = seekWorkflowId(`${queues}-${work.salt}`);
      const conclusion = (await client.workflow.execute('seek', {
        taskQueue: TASK_QUEUE,
        workflowId: latest,
        args: [seekInput(work, queues)],
      })) as Conclusion;
      if (conclusion.status !== 'ok' || conclusion.rows !== work.fanouts * work.width)
        throw new Error(`${latest} ended as ${conclusion.status} with ${conclusion.rows} rows`);
      return conclusion.preview;
    },
    takeCounts: () => worker.takeCounts(),
    close: async () => {},
  });

  return {
    contestants: { local: contestant('local'), remote: contestant('remote') },
    lastHistory: () => sizeOfRun(client, latest),
    close: async () => {
      await worker.stop();
      await connection.close();
      await server.child.stop(5_000);
      await rm(dir, { recursive: true, force: true });
    },
  };
}

const seekInput = (work: Work, queues: Queues): SeekInput => ({
  question: questionOf(work),
  set: {
    'queues.model': queues === 'local' ? 'local' : 'model',
    'queues.search': queues === 'local' ? 'local' : 'search',
    'agents.width': work.width,
    'agents.lead.turns': work.fanouts + 1 + SPARE_TURNS,
    'agents.subagent.turns': work.turns + SPARE_TURNS,
  },
});
