import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { Counts } from './workload.ts';

export const orderSchema = z.discriminatedUnion('do', [
  z.object({ do: z.literal('counts') }),
  z.object({ do: z.literal('stop') }),
]);
type Order = z.infer<typeof orderSchema>;

const answerSchema = z.discriminatedUnion('did', [
  z.object({ did: z.literal('start') }),
  z.object({ did: z.literal('counts'), counts: z.object({ model: z.number(), tool: z.number() }) }),
]);
export type FromWorker = z.infer<typeof answerSchema>;

export interface BenchWorker {
  pid: number;
  takeCounts(): Promise<Counts>;
  stop(): Promise<void>;
}

/**
 * Starts `worker.ts` and waits until it polls. One order at a time. Rejects when the process ends before it answers.
 * `WIDESEEK_BENCH_WORKER_NODE` holds more flags for its Node, e.g. `--cpu-prof`.
 */
export async function startBenchWorker(address: string, storeUrl: string): Promise<BenchWorker> {
  const extra = (process.env.WIDESEEK_BENCH_WORKER_NODE ?? '').split(' ').filter(Boolean);
  const child = fork(fileURLToPath(new URL('./worker.ts', import.meta.url)), [address, storeUrl], {
    execArgv: ['--import', 'tsx', ...extra],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit').then(([code]) => {
    throw new Error(`the worker ended with status ${code}`);
  });
  exited.catch(() => undefined);
  const answer = async <D extends FromWorker['did']>(did: D): Promise<Extract<FromWorker, { did: D }>> => {
    const [message] = (await Promise.race([once(child, 'message'), exited])) as [unknown];
    const parsed = answerSchema.parse(message);
    if (parsed.did !== did) throw new Error(`the worker answered ${parsed.did}, not ${did}`);
    return parsed as Extract<FromWorker, { did: D }>;
  };
  const order = (what: Order): boolean => child.send(what);

  await answer('start');
  return {
    pid: child.pid!,
    takeCounts: async () => {
      order({ do: 'counts' });
      return (await answer('counts')).counts;
    },
    stop: async () => {
      order({ do: 'stop' });
      await exited.catch(() => undefined);
    },
  };
}
