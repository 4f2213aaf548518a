import type { Server } from 'node:http';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { z } from 'zod';
import { WideseekError } from '../../domain/errors.ts';
import type { FailureType } from '../../domain/errors.ts';
import type { Hit, SearchProvider } from './port.ts';

export interface RetrievalOptions {
  /** Hits per query where a request names none (spec 2.5: 3). */
  topK: number;
}

const retrieveSchema = z.object({
  queries: z.array(z.string()).max(1024),
  topk: z.int().min(0).max(1000).nullish(),
  return_scores: z.boolean().nullish(),
});
const accessSchema = z.object({ urls: z.array(z.string()).max(1024) });

const STATUS: Partial<Record<FailureType, 400 | 429 | 503 | 504>> = {
  InvalidInput: 400,
  RateLimited: 429,
  Overloaded: 503,
  Timeout: 504,
};

const MAX_PARALLEL = 16;

/** In order, at most `MAX_PARALLEL` at a time. */
const inParallel = async <T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> => {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += MAX_PARALLEL)
    results.push(...(await Promise.all(items.slice(start, start + MAX_PARALLEL).map(work))));
  return results;
};

const parse = async <T>(schema: z.ZodType<T>, body: Promise<unknown>): Promise<T> => {
  const value = await body.catch(() => {
    throw new WideseekError('InvalidInput', 'body: is not JSON');
  });
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new WideseekError(
    'InvalidInput',
    `${issue?.path.join('.') || 'body'}: ${issue?.message ?? 'is wrong'}`,
  );
};

const payloadOf = ({ url, title, text }: Omit<Hit, 'score'>) => ({ url, title, contents: text });

/**
 * The retrieval server of spec 2.5 over any provider: `POST /retrieve`, `POST /access`, and `GET /health`.
 * A page that is unknown or unreadable is `null`; an outage of the provider is an error status, never an empty list.
 */
export const createRetrievalApp = (provider: SearchProvider, { topK }: RetrievalOptions): Hono => {
  const app = new Hono();
  app.get('/health', (c) => c.json({ status: 'ok', provider: provider.name }));
  app.post('/retrieve', async (c) => {
    const body = await parse(retrieveSchema, c.req.json());
    const count = body.topk || topK;
    const result = await inParallel(body.queries, async (query) => {
      const hits = await provider.search(query, count, c.req.raw.signal);
      return hits.map((hit) =>
        body.return_scores ? { document: payloadOf(hit), score: hit.score ?? 0 } : payloadOf(hit),
      );
    });
    return c.json({ result });
  });
  app.post('/access', async (c) => {
    const { urls } = await parse(accessSchema, c.req.json());
    const result = await inParallel(urls, async (url) => {
      const page = await provider.access(url, c.req.raw.signal);
      return 'unreadable' in page ? null : payloadOf(page);
    });
    return c.json({ result });
  });
  app.onError((error, c) => {
    if (!(error instanceof WideseekError)) return c.json({ error: 'Internal: unexpected failure' }, 500);
    return c.json({ error: `${error.type}: ${error.message}` }, STATUS[error.type] ?? 500);
  });
  return app;
};

/** Serves a retrieval app; loopback only unless a host is given. Rejects when the port is taken. */
export const serveRetrieval = (
  app: Hono,
  { host = '127.0.0.1', port }: { host?: string; port: number },
): Promise<{ url: string; stop: () => Promise<void> }> =>
  new Promise((resolve, reject) => {
    const server = serve({ fetch: app.fetch, hostname: host, port }, (info) =>
      resolve({
        url: `http://${host.includes(':') ? `[${host}]` : host}:${info.port}`,
        stop: () => new Promise((done) => server.close(() => done())),
      }),
    ) as Server;
    server.once('error', (cause) =>
      reject(
        new WideseekError('ConfigError', `cannot listen on ${host}:${port}: ${cause.message}`, { cause }),
      ),
    );
  });
