import { availableParallelism } from 'node:os';
import { MessageChannel } from 'node:worker_threads';
import pLimit from 'p-limit';
import { Piscina } from 'piscina';
import { withDeadline } from '../model/deadline.ts';
import type { Page, Unreadable } from '../search/port.ts';
import { abortable } from './abortable.ts';
import type { ExtractTask } from './extract-worker.ts';
import type { Fetched } from './fetch-page.ts';
import { unreadable } from './reasons.ts';

/** Takes the page out of a fetched document. Throws the signal's reason when cancelled. */
export type Extract = (fetched: Fetched, askedUrl: string, signal: AbortSignal) => Promise<Page | Unreadable>;

export interface ExtractorOptions {
  /** Threads at most; they start when the first page comes and end when idle. */
  threads?: number;
  /** For one page, from the moment its thread begins with it. Milliseconds. */
  timeoutMs?: number;
  /** Heap of one thread. Mebibytes. */
  memoryMb?: number;
}

export interface Extractor {
  extract: Extract;
  /** Ends the threads; pages under way fail. */
  close: () => Promise<void>;
}

/** Generous, because it counts wall clock: a busy machine takes several times as long as an idle one. */
const TIMEOUT_MS = 60_000;
const MEMORY_MB = 512;
const IDLE_MS = 60_000;
const WORKER = new URL('./extract-thread.mjs', import.meta.url);

/**
 * Extracts pages on threads, because parsing megabytes takes seconds in which the event loop could neither beat for
 * activities nor answer anybody. A page that takes too long or too much memory loses its thread and is
 * `too_complex`; another thread takes its place. A thread that cannot be started is our own fault and throws.
 */
export function createExtractor(options: ExtractorOptions = {}): Extractor {
  const { timeoutMs = TIMEOUT_MS, memoryMb = MEMORY_MB } = options;
  const threads = options.threads ?? Math.min(2, Math.max(1, availableParallelism() - 1));
  // The pool's own queue stays empty: what waits here can be left by its caller without a thread dying for it.
  const limit = pLimit(threads);
  let pool: Piscina<ExtractTask, Page | Unreadable> | undefined;
  // A thread that dies before it takes a page tells only the pool, and its page would wait for ever.
  const waiting = new Set<(error: Error) => void>();

  const open = (): Piscina<ExtractTask, Page | Unreadable> => {
    if (pool) return pool;
    pool = new Piscina({
      filename: WORKER.href,
      minThreads: 0,
      maxThreads: threads,
      idleTimeout: IDLE_MS,
      atomics: 'disabled',
      // Nothing of what this process was started with (vitest, inspectors) belongs into a thread.
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: memoryMb },
    });
    pool.on('error', (error: Error) => waiting.forEach((fail) => fail(error)));
    return pool;
  };

  const work = async (
    fetched: Fetched,
    askedUrl: string,
    signal: AbortSignal,
  ): Promise<Page | Unreadable> => {
    signal.throwIfAborted();
    const { port1, port2 } = new MessageChannel();
    let forget = (): boolean => false;
    const began = new Promise<true>((resolve, reject) => {
      port1.once('message', () => resolve(true));
      waiting.add(reject);
      forget = () => waiting.delete(reject);
    });
    let hasBegun = false;
    const stop = new AbortController();
    const forward = (): void => stop.abort(signal.reason);
    signal.addEventListener('abort', forward, { once: true });
    try {
      const task: ExtractTask = { fetched, askedUrl, started: port2 };
      const result = open().run(task, { transferList: [port2], signal: stop.signal });
      result.catch(() => undefined);
      hasBegun = await Promise.race([began, result.then(() => true as const)]);
      return await withDeadline(signal, timeoutMs, (inner) => {
        inner.addEventListener('abort', () => stop.abort(inner.reason), { once: true });
        return abortable(result, inner);
      });
    } catch (error) {
      signal.throwIfAborted();
      if (!hasBegun) throw error;
      const { name, code } = error as Error & { code?: string };
      const tooMuch = name === 'TimeoutError' || code === 'ERR_WORKER_OUT_OF_MEMORY';
      return unreadable(fetched.url, tooMuch ? 'too_complex' : 'unparsable');
    } finally {
      signal.removeEventListener('abort', forward);
      port1.close();
      forget();
    }
  };

  return {
    extract: (fetched, askedUrl, signal) =>
      abortable(
        limit(() => work(fetched, askedUrl, signal)),
        signal,
      ),
    close: async () => {
      const open = pool;
      pool = undefined;
      await open?.destroy();
    },
  };
}
