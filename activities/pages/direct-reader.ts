import { withDeadline } from '../model/deadline.ts';
import type { Page, Unreadable } from '../search/port.ts';
import { extractPage } from './extract.ts';
import type { Extract } from './extractor.ts';
import { fetchPage } from './fetch-page.ts';
import { createHostTurns } from './host-turns.ts';
import { unreadable } from './reasons.ts';
import { createRobots } from './robots.ts';
import { createTargetCheck, parsePageUrl, type Resolver } from './target.ts';

/** Reads one page: its text, or a typed reason. Throws nothing but the signal's reason when it is cancelled. */
export type PageReader = (url: string, signal: AbortSignal) => Promise<Page | Unreadable>;

export interface DirectReaderOptions {
  /** Addresses, CIDR ranges and host names that may be read although they are private. */
  allow?: readonly string[];
  /** Largest document, as sent and after decompression. Bytes. */
  maxBytes?: number;
  /** For everything that fetching one page takes, robots.txt and redirects included. Milliseconds. */
  timeoutMs?: number;
  /** Pages of one host that this process reads at once. */
  perHost?: number;
  /** Pause between the starts of two pages of one host. Milliseconds. */
  hostDelayMs?: number;
  /** How the text is taken out; default: in this thread, without a limit of time. */
  extract?: Extract;
  userAgent?: string;
  respectRobots?: boolean;
  resolve?: Resolver;
}

const MAX_BYTES = 10 * 1024 * 1024;
const TIMEOUT_MS = 30_000;
const PER_HOST = 4;
const HOST_DELAY_MS = 100;
const ROBOTS_BYTES = 512 * 1024;
const AGENT = 'wideseek';

/**
 * Reads pages from the web without any service. Only public addresses are connected to: each host is resolved,
 * all its addresses are checked, and the connection is pinned to them; redirects are checked in the same way. The time
 * that a page waits for its host's turn, or for a thread that extracts it, does not count as the host's.
 * Throws `InvalidInput` at once for a bad `allow` entry.
 */
export function createDirectReader(options: DirectReaderOptions = {}): PageReader {
  const { allow, resolve, maxBytes = MAX_BYTES, timeoutMs = TIMEOUT_MS, respectRobots = true } = options;
  const userAgent = options.userAgent ?? `Mozilla/5.0 (compatible; ${AGENT}/0.1)`;
  const check = createTargetCheck({ allow, resolve });
  const robots = createRobots({
    agent: AGENT,
    fetch: (url, signal) =>
      fetchPage(
        url,
        { check },
        { maxBytes: ROBOTS_BYTES, truncate: true, userAgent, accept: 'text/plain' },
        signal,
      ),
  });
  const objection = respectRobots ? robots : undefined;
  const inTurn = createHostTurns({
    perHost: options.perHost ?? PER_HOST,
    delayMs: options.hostDelayMs ?? HOST_DELAY_MS,
  });
  const extract = options.extract ?? extractPage;

  return async (url, signal) => {
    signal.throwIfAborted();
    const target = parsePageUrl(url);
    if (!(target instanceof URL)) return unreadable(url, target);
    try {
      const fetched = await inTurn(target.host, signal, () =>
        withDeadline(signal, timeoutMs, (inner) =>
          fetchPage(url, { check, objection }, { maxBytes, userAgent }, inner),
        ),
      );
      return typeof fetched === 'string' ? unreadable(url, fetched) : await extract(fetched, url, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof Error && error.name === 'TimeoutError') return unreadable(url, 'timeout');
      throw error;
    }
  };
}
