import { z } from 'zod';
import { rethrowIfCancelled, toWideseekError } from '../provider-errors.ts';
import { fromHttp } from '../provider-http.ts';
import type { Hit, SearchProvider } from './port.ts';

export interface RetrievalClientOptions {
  /** Root of a server that answers `/retrieve` and `/access` (spec 2.5). */
  baseUrl: string;
  timeoutMs?: number;
}

const TIMEOUT_MS = 60_000;
const SERVICE = 'retrieval server';

const recordSchema = z.looseObject({
  contents: z.string(),
  url: z.string().default(''),
  title: z.string().default(''),
});
type Found = z.infer<typeof recordSchema>;
const toHit = ({ url, title, contents }: Found): Hit => ({ url, title, text: contents });
/** Servers give scores or not; some always do. */
const hitSchema = z.union([
  z
    .object({ document: recordSchema, score: z.number() })
    .transform(({ document, score }) => ({ ...toHit(document), score })),
  recordSchema.transform(toHit),
]);
const retrieveSchema = z.object({ result: z.array(z.array(hitSchema)) });
const accessSchema = z.object({ result: z.array(recordSchema.nullable()) });

/**
 * Search through somebody's retrieval server, ours or a compatible one. Nothing is asked before the first search.
 * Failures are typed and not retried here. A page that the server does not have is `unreadable: 'not_found'`.
 */
export const openRetrievalSearch = async ({
  baseUrl,
  timeoutMs = TIMEOUT_MS,
}: RetrievalClientOptions): Promise<SearchProvider> => {
  const root = baseUrl.replace(/\/+$/, '');
  const post = async <T>(
    path: string,
    body: object,
    schema: z.ZodType<T>,
    signal: AbortSignal,
  ): Promise<T> => {
    signal.throwIfAborted();
    try {
      const response = await fetch(`${root}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      });
      const text = await response.text();
      if (!response.ok)
        throw fromHttp({ status: response.status, headers: response.headers, body: text }, SERVICE);
      return schema.parse(JSON.parse(text));
    } catch (error) {
      rethrowIfCancelled(signal);
      throw toWideseekError(error, SERVICE);
    }
  };
  return {
    name: 'server',
    search: async (query, topK, signal) => {
      if (query.trim() === '' || topK < 1) return [];
      const body = { queries: [query], topk: topK, return_scores: true };
      const { result } = await post('/retrieve', body, retrieveSchema, signal);
      return (result[0] ?? []).slice(0, topK);
    },
    access: async (url, signal) => {
      const { result } = await post('/access', { urls: [url] }, accessSchema, signal);
      const page = result[0];
      if (!page) return { url, unreadable: 'not_found' };
      return { url: page.url || url, title: page.title, text: page.contents };
    },
  };
};
