import pLimit, { type LimitFunction } from 'p-limit';
import { setTimeout as sleep } from 'node:timers/promises';
import { abortable } from './abortable.ts';

export interface HostTurnsOptions {
  /** Pages of one host that are read at once. */
  perHost: number;
  /** From the start of one page to the start of the next of the same host. Milliseconds. */
  delayMs: number;
  /** Milliseconds of a clock that only goes forward. */
  now?: () => number;
}

interface Host {
  limit: LimitFunction;
  /** When the next page may start. */
  next: number;
}

/**
 * Runs work by host, politely: at most `perHost` at a time, and a pause between starts. Counts within this process only;
 * several workers multiply it. Throws what the work throws, and the signal's reason while waiting.
 */
export function createHostTurns(
  options: HostTurnsOptions,
): <T>(host: string, signal: AbortSignal, work: () => Promise<T>) => Promise<T> {
  const { perHost, delayMs, now = () => performance.now() } = options;
  const hosts = new Map<string, Host>();

  return async (host, signal, work) => {
    const known = hosts.get(host) ?? { limit: pLimit(perHost), next: 0 };
    hosts.set(host, known);
    const turn = async () => {
      signal.throwIfAborted();
      const at = Math.max(known.next, now());
      known.next = at + delayMs;
      if (at > now()) await sleep(at - now(), undefined, { signal }).catch(() => signal.throwIfAborted());
      return work();
    };
    try {
      return await abortable(known.limit(turn), signal);
    } finally {
      // Hosts are forgotten as soon as their pause is over, so that a long life meets any number of them.
      if (known.limit.activeCount + known.limit.pendingCount === 0 && known.next <= now()) hosts.delete(host);
    }
  };
}
