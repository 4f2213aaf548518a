import { createHash } from 'node:crypto';
import { QdrantClient } from '@qdrant/js-client-rest';
import { WideseekError } from '../../../domain/errors.ts';
import { rethrowIfCancelled, toWideseekError } from '../../provider-errors.ts';
import { canonicalUrl } from '../canonical-url.ts';

export interface QdrantOptions {
  url: string;
  /** Name that readers use: a collection, or an alias of the one in use. */
  collection: string;
  apiKey?: string;
  timeoutMs?: number;
}

const TIMEOUT_MS = 60_000;

/** Calls of one server; failures come out as typed errors, and an abort ends the wait. */
export interface Qdrant {
  client: QdrantClient;
  call: <T>(work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;
}

const classify = (error: unknown, apiKey: string | undefined): WideseekError => {
  const { name, retry_after } = error as { name?: string; retry_after?: number };
  if (name === 'QdrantClientTimeoutError')
    return new WideseekError('Timeout', 'qdrant: no answer within the deadline');
  if (name === 'QdrantClientResourceExhaustedError')
    return new WideseekError('RateLimited', 'qdrant: too many requests', {
      ...(retry_after === undefined ? {} : { retryAfterMs: retry_after * 1000 }),
    });
  return toWideseekError(error, 'qdrant', { keyEnv: 'QDRANT_API_KEY', secrets: apiKey ? [apiKey] : [] });
};

const abortOf = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const fail = (): void => reject(signal.reason as Error);
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });

/** A client without retries of its own: those are Temporal's. */
export const connectQdrant = ({ url, apiKey, timeoutMs = TIMEOUT_MS }: QdrantOptions): Qdrant => {
  const client = new QdrantClient({
    url,
    timeout: timeoutMs,
    checkCompatibility: false,
    ...(apiKey ? { apiKey } : {}),
  });
  return {
    client,
    call: async (work, signal) => {
      signal?.throwIfAborted();
      try {
        return await (signal ? Promise.race([work(), abortOf(signal)]) : work());
      } catch (error) {
        if (signal) rethrowIfCancelled(signal);
        throw classify(error, apiKey);
      }
    },
  };
};

/** Whole pages lie beside the passages, without vectors, and are found by id: no payload index is needed. */
export const pagesOf = (collection: string): string => `${collection}_pages`;

/** A page's point id: a UUID made from its canonical URL. */
export const pageId = (url: string): string => {
  const hex = createHash('sha256').update(canonicalUrl(url)).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    '-',
  );
};
