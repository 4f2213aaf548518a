import { z } from 'zod';
import { WideseekError } from '../../../domain/errors.ts';
import type { Hit } from '../port.ts';
import { call, type Env, keyFrom, refusal } from './call.ts';

/** The half of a provider that searches. */
export interface Searcher {
  readonly name: string;
  /** At most `topK` hits, best first; empty only where the service said that there are none. */
  search(query: string, topK: number, signal: AbortSignal): Promise<Hit[]>;
}

export interface SerperOptions {
  /** Name of the environment variable that holds the key. */
  apiKeyEnv: string;
  endpoint?: string;
  /** Language and country of the results, as the service names them (`hl`, `gl`). */
  language?: string;
  country?: string;
  env?: Env;
  timeoutMs?: number;
}

const ENDPOINT = 'https://google.serper.dev/search';
const SERVICE = 'Serper';
const TIMEOUT_MS = 30_000;
/** Spec 2.3. */
const QUERY_CHARS = 2_000;
const MAX_HITS = 100;

const organicSchema = z.looseObject({
  title: z.string().default(''),
  link: z.string().min(1),
  snippet: z.string().default(''),
});
/** A reply without `organic` must at least repeat the query, or it is no search result at all. */
const replySchema = z.looseObject({
  searchParameters: z.looseObject({ q: z.string() }).optional(),
  organic: z.array(z.unknown()).optional(),
});

/**
 * Web search through Serper (spec 2.3): organic results only. The key is read from the environment at each call
 * and appears in no error. Throws typed errors; permanent ones (401, 403, 400) are not retryable, and a
 * failure is never an empty list.
 */
export function createSerperSearch(options: SerperOptions): Searcher {
  const { apiKeyEnv, endpoint = ENDPOINT, env = process.env, timeoutMs = TIMEOUT_MS } = options;
  return {
    name: 'serper',
    search: async (query, topK, signal) => {
      const q = cutQuery(query);
      if (q === '' || topK < 1) return [];
      const key = keyFrom(env, apiKeyEnv, SERVICE);
      const context = { keyEnv: apiKeyEnv, secrets: [key] };
      const reply = await call(
        {
          url: endpoint,
          method: 'POST',
          headers: { 'X-API-KEY': key, 'content-type': 'application/json', accept: 'application/json' },
          body: {
            q,
            num: Math.min(topK, MAX_HITS),
            ...(options.country ? { gl: options.country } : {}),
            ...(options.language ? { hl: options.language } : {}),
          },
          timeoutMs,
          service: SERVICE,
          context,
        },
        signal,
      );
      if (reply.status !== 200) throw refusal(reply, SERVICE, context);
      return readHits(reply.text).slice(0, topK);
    },
  };
}

/** Whole characters, also outside the basic plane. */
const cutQuery = (query: string): string =>
  query
    .trim()
    .slice(0, QUERY_CHARS)
    .replace(/[\uD800-\uDBFF]$/, '');

function readHits(text: string): Hit[] {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw badReply(
      /^\s*</.test(text) ? 'answered with a web page instead of JSON' : 'reply is not complete JSON',
    );
  }
  const parsed = replySchema.safeParse(body);
  if (!parsed.success || (!parsed.data.organic && !parsed.data.searchParameters))
    throw badReply('reply has no `organic` list');
  const organic = parsed.data.organic ?? [];
  const hits = organic.flatMap((item) => {
    const hit = organicSchema.safeParse(item);
    return hit.success ? [{ url: hit.data.link, title: hit.data.title, text: hit.data.snippet }] : [];
  });
  // Results that all lack a link would otherwise look like no results.
  if (hits.length === 0 && organic.length > 0) throw badReply('no result has a link');
  return hits;
}

const badReply = (what: string): WideseekError =>
  new WideseekError('BadReply', `${SERVICE}: ${what}`, { hint: 'Check the endpoint of the search service' });
