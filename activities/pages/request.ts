import type { LookupFunction } from 'node:net';
import { Agent, request } from 'undici';
import { readBody } from './body.ts';
import type { UnreadableReason } from './reasons.ts';
import type { ResolvedAddress, Target } from './target.ts';

/** One answer of a server, not followed and not interpreted. */
export interface Answer {
  status: number;
  /** Lower-case names. */
  headers: Record<string, string>;
  /** Decompressed; a reason where the body cannot be had. Absent for a redirect. */
  body?: Buffer | UnreadableReason;
}

export interface RequestLimits {
  maxBytes: number;
  userAgent: string;
  accept?: string;
  /** Return the first `maxBytes` of a longer body instead of refusing it. */
  truncate?: boolean;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const MAX_HEADER_BYTES = 32 * 1024;

/**
 * One GET of a checked target. The connection is made to the target's addresses and to nothing else: the name is not
 * looked up again, no proxy and no kept-alive connection is used. Throws what undici throws and the signal's reason.
 */
export async function requestTarget(
  { url, addresses }: Target,
  limits: RequestLimits,
  signal: AbortSignal,
): Promise<Answer> {
  const agent = new Agent({
    connect: { lookup: pinnedTo(addresses) },
    connections: 1,
    pipelining: 1,
    maxHeaderSize: MAX_HEADER_BYTES,
  });
  // Every wait ends with the signal, also that of a connection that undici has not given up yet.
  const stop = (): void => void agent.destroy(asError(signal.reason)).catch(() => undefined);
  signal.addEventListener('abort', stop, { once: true });
  try {
    signal.throwIfAborted();
    const response = await request(url, {
      dispatcher: agent,
      method: 'GET',
      headers: {
        'user-agent': limits.userAgent,
        accept:
          limits.accept ?? 'text/html,application/xhtml+xml,application/pdf;q=0.9,text/plain;q=0.9,*/*;q=0.5',
        'accept-language': 'en,zh;q=0.8,*;q=0.5',
        'accept-encoding': 'gzip, br, deflate',
      },
      signal,
    });
    const headers = flat(response.headers);
    if (REDIRECTS.has(response.statusCode) && headers.location) {
      response.body.on('error', () => undefined).destroy();
      return { status: response.statusCode, headers };
    }
    const declared = Number(headers['content-length']);
    if (declared > limits.maxBytes && !limits.truncate) {
      response.body.on('error', () => undefined).destroy();
      return { status: response.statusCode, headers, body: 'too_large' };
    }
    const body = await readBody(response.body, headers['content-encoding'] ?? '', limits);
    return { status: response.statusCode, headers, body };
  } finally {
    signal.removeEventListener('abort', stop);
    agent.destroy().catch(() => undefined);
  }
}

/** A look-up that knows only the checked addresses, whatever name it is asked for. */
const pinnedTo =
  (addresses: readonly ResolvedAddress[]): LookupFunction =>
  (_host, options, callback) => {
    const wanted = addresses.filter(({ family }) => !options.family || options.family === family);
    const [first] = wanted;
    if (!first) callback(new Error('no address of the asked family'), '', 4);
    else if (options.all) callback(null, [...wanted]);
    else callback(null, first.address, first.family);
  };

const flat = (headers: Record<string, string | string[] | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), Array.isArray(value) ? (value[0] ?? '') : value]],
    ),
  );

const asError = (reason: unknown): Error => (reason instanceof Error ? reason : new Error('aborted'));
