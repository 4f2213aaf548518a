import { setTimeout as sleep } from 'node:timers/promises';

/** A future's outcome, ready to be sent. */
export type Outcome =
  | { kind: 'protobuf'; bytes: Uint8Array }
  | { kind: 'json'; value: unknown }
  | { kind: 'failed'; status: number; message: string };

export interface Futures {
  /** Starts the work and returns the id under which its outcome can be asked for. */
  start(work: () => Promise<Outcome>): string;
  /** Waits up to `ms`; `unknown` for an id that was never given out, `pending` when it takes longer. */
  wait(id: string, ms: number): Promise<Outcome | 'unknown' | 'pending'>;
  /** Forgets everything, as a restart does. */
  clear(): void;
}

/** Outcomes that were fetched are kept for repeated questions, this many. */
const KEPT = 4_096;

/** Futures in memory. Work that throws becomes a failed future with the error's message. */
export function createFutures(): Futures {
  const outcomes = new Map<string, Promise<Outcome>>();
  let fetched = new Set<string>();
  let next = 1;
  return {
    start: (work) => {
      const id = String(next++);
      const failed = (error: unknown): Outcome => ({
        kind: 'failed',
        status: 400,
        message: error instanceof Error ? error.message : String(error),
      });
      outcomes.set(id, work().catch(failed));
      return id;
    },
    wait: async (id, ms) => {
      const outcome = outcomes.get(id);
      if (outcome === undefined) return 'unknown';
      const timer = new AbortController();
      const late = sleep(ms, 'pending' as const, { signal: timer.signal, ref: false }).catch(
        () => 'pending' as const,
      );
      const result = await Promise.race([outcome, late]);
      timer.abort();
      if (result !== 'pending') fetched.add(id);
      if (fetched.size > KEPT) {
        const ids = [...fetched];
        for (const old of ids.slice(0, KEPT / 2)) outcomes.delete(old);
        fetched = new Set(ids.slice(KEPT / 2));
      }
      return result;
    },
    clear: () => outcomes.clear(),
  };
}
