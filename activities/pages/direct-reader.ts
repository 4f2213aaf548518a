import { withDeadline } from '../model/deadline.ts';
import type { Page, Unreadable } from '../search/port.ts';
import { extractPage } from './extract.ts';
import { fetchPage } from './fetch-page.ts';
import { unreadable } from './reasons.ts';
import { createRobots } from './robots.ts';
import { createTargetCheck, type Resolver } from './target.ts';

/** Reads one page: its text, or a typed reason. Throws nothing but the signal's reason when it is cancelled. */
export type PageReader = (url: string, signal: AbortSignal) => Promise<Page | Unreadable>;

export interface DirectReaderOptions {
  /** Addresses, CIDR ranges and host names that may be read although they are private. */
  allow?: readonly string[];
  /** Largest document, as sent and after decompression. Bytes. */
  maxBytes?: number;
  /** For everything that one page takes, robots.txt, redirects and text extraction included. Milliseconds. */
  timeoutMs?: number;
  userAgent?: string;
  respectRobots?: boolean;
  resolve?: Resolver;
}

const MAX_BYTES = 10 * 1024 * 1024;
const TIMEOUT_MS = 30_000;
const ROBOTS_BYTES = 512 * 1024;
const AGENT = 'wideseek';

/**
 * Reads pages from the web without any service. Only public addresses are connected to: each host is resolved,
 * all its addresses are checked, and the connection is pinned to them; redirects are checked in the same way.
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
  return async (url, signal) => {
    signal.throwIfAborted();
    try {
      return await withDeadline(signal, timeoutMs, async (inner) => {
        const fetched = await fetchPage(url, { check, objection }, { maxBytes, userAgent }, inner);
        return typeof fetched === 'string'
          ? unreadable(url, fetched)
          : await extractPage(fetched, url, inner);
      });
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof Error && error.name === 'TimeoutError') return unreadable(url, 'timeout');
      throw error;
    }
  };
}
