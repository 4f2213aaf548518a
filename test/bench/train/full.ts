import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import type { Client } from '@temporalio/client';
import { printTable } from '../table.ts';
import { outcomeOf, withBenchWorld } from './world.ts';

export interface FullOptions {
  steps: number;
  batchGroups: number;
  groupSize: number;
  log: (line: string) => void;
}

export interface FullResult {
  steps: number;
  rollouts: number;
  seconds: number;
  trained: number;
  filtered: number;
  failed: number;
  /** Peak resident memory, MB: this process (workers, trainer, store, fake engine) and the Temporal server. */
  workerMb: number;
  serverMb: number;
  /** The largest history of each kind of workflow, of those looked at. */
  histories: { type: string; looked: number; events: number; bytes: number }[];
}

/** Limits of a Temporal history: events and bytes. */
const LIMIT = { events: 51_200, bytes: 50 * 1024 * 1024 };
const LOOKED = 200;

/** Whole training steps of the published size through the real workflows, with a policy that answers at once. */
export async function benchFull(options: FullOptions): Promise<FullResult> {
  const { steps, batchGroups, groupSize, log } = options;
  return withBenchWorld({ engine: {}, questions: 1_024 }, async ({ server, start, steps: stepsOfRun }) => {
    const peak = watchMemory(children(process.pid));
    const started = Date.now();
    const handle = await start('full', {
      ...{ steps, batchGroups, groupSize, maxConcurrentGroups: Math.min(128, batchGroups) },
      'optimiser.schedule.peak': 1e-9,
    });
    const told = setInterval(
      () => void stepsOfRun('full').then((done) => log(`${done.length} of ${steps} steps`)),
      30_000,
    );
    try {
      const { trained, filtered, failed, steps: taken } = await outcomeOf(handle);
      const seconds = (Date.now() - started) / 1_000;
      return {
        ...{ steps: taken, rollouts: (trained + filtered + failed) * groupSize, seconds },
        ...{ trained, filtered, failed, ...peak.stop() },
        histories: await largest(server.client),
      };
    } finally {
      clearInterval(told);
      peak.stop();
    }
  });
}

const LARGEST_OF = ['train', 'rolloutGroup', 'seek'];

async function largest(client: Client): Promise<FullResult['histories']> {
  const found: FullResult['histories'] = [];
  for (const type of LARGEST_OF) {
    const row = { type, looked: 0, events: 0, bytes: 0 };
    for await (const { workflowId, runId } of client.workflow.list({ query: `WorkflowType = '${type}'` })) {
      if (row.looked >= LOOKED) break;
      const { raw } = await client.workflow.getHandle(workflowId, runId).describe();
      row.looked += 1;
      row.events = Math.max(row.events, Number(raw.workflowExecutionInfo?.historyLength ?? 0));
      row.bytes = Math.max(row.bytes, Number(raw.workflowExecutionInfo?.historySizeBytes ?? 0));
    }
    found.push(row);
  }
  return found;
}

/** Processes started by this one that are the Temporal server. Empty where /proc is not there. */
function children(pid: number): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((each) => {
        const stat = readFileSync(`/proc/${each}/stat`, 'utf8');
        const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        return Number(fields[1]) === pid && /temporal/.test(readFileSync(`/proc/${each}/cmdline`, 'utf8'));
      });
  } catch {
    return [];
  }
}

const residentMb = (pid: number): number => {
  try {
    return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }).trim()) / 1e3;
  } catch {
    return 0;
  }
};

function watchMemory(servers: readonly number[]) {
  let most = { workerMb: 0, serverMb: 0 };
  const look = (): void => {
    most = {
      workerMb: Math.max(most.workerMb, process.memoryUsage().rss / 1e6),
      serverMb: Math.max(
        most.serverMb,
        servers.reduce((sum, pid) => sum + residentMb(pid), 0),
      ),
    };
  };
  const timer = setInterval(look, 1_000);
  return {
    stop: () => {
      clearInterval(timer);
      look();
      return most;
    },
  };
}

export function printFull({ batchGroups, groupSize }: Omit<FullOptions, 'log'>, result: FullResult): string {
  const { steps, rollouts, seconds, trained, filtered, failed, workerMb, serverMb, histories } = result;
  return [
    `Whole steps: ${steps} of ${batchGroups} × ${groupSize}; ${rollouts} rollouts in ${seconds.toFixed(0)} s (${(rollouts / seconds).toFixed(1)} a second); groups ${trained} trained, ${filtered} without signal, ${failed} failed`,
    `Peak memory: workers, trainer, store and fake engine ${workerMb.toFixed(0)} MB + Temporal server ${serverMb.toFixed(0)} MB = ${((workerMb + serverMb) / 1e3).toFixed(2)} GB`,
    printTable(
      ['workflow', 'looked at', 'largest: events', 'of the limit', 'largest: KB', 'of the limit'],
      histories.map(({ type, looked, events, bytes }) => [
        type,
        String(looked),
        String(events),
        `${((100 * events) / LIMIT.events).toFixed(1)}%`,
        (bytes / 1024).toFixed(0),
        `${((100 * bytes) / LIMIT.bytes).toFixed(1)}%`,
      ]),
    ),
  ].join('\n');
}
