import type { Message } from '../../../domain/agents/messages.ts';
import { readStructure } from './page-structure.ts';
import type { PageStructure } from './page-structure.ts';
import { readTools } from './read-tools.ts';
import type { Seen, SeenHit, SeenPage } from './read-tools.ts';
import { fold } from './text.ts';

/** What one agent knows: all that its conversation holds, in the forms in which it is asked for. */
export interface Memory extends Seen {
  /** Hits of all searches, first sighting first, one per URL. */
  hits: SeenHit[];
  /** True where this query was sent before, whatever came back. */
  asked(query: string): boolean;
  /** True where this page was requested before, whatever came back. */
  opened(url: string): boolean;
  structure(page: SeenPage): PageStructure;
}

/** What to do next: search, read, or hand over a result. */
export type Next<T> =
  { kind: 'search'; queries: Query[] } | { kind: 'access'; wants: Want[] } | { kind: 'done'; result: T };
export interface Query {
  query: string;
  count: number;
}
export interface Want {
  url: string;
  intent: string;
  page?: number;
}

/** How much an agent may still do. */
export interface Budget {
  /** Turns left, this one and the answer included. */
  turns: number;
  /** Requests of one call. */
  width: number;
}

export const done = <T>(result: T): Next<T> => ({ kind: 'done', result });

/** Reads a conversation into memory. */
export function remember(messages: readonly Message[]): Memory {
  const seen = readTools(messages);
  const requests = messages.some(({ role }) => role === 'assistant')
    ? requestsIn(messages)
    : requestsSeen(seen);
  const structures = new Map<SeenPage, PageStructure>();
  const hits = new Map<string, SeenHit>();
  for (const { hits: found } of seen.searches)
    for (const hit of found) if (!hits.has(hit.url)) hits.set(hit.url, hit);
  return {
    ...seen,
    hits: [...hits.values()],
    asked: (query) => requests.queries.has(fold(query)),
    opened: (url) => requests.urls.has(url),
    structure(page) {
      const known = structures.get(page);
      if (known) return known;
      const made = readStructure(page.title || (hits.get(page.url)?.title ?? ''), page.text);
      structures.set(page, made);
      return made;
    },
  };
}

function requestsIn(messages: readonly Message[]): { queries: Set<string>; urls: Set<string> } {
  const queries = new Set<string>();
  const urls = new Set<string>();
  for (const message of messages) {
    if (message.role !== 'assistant') continue;
    for (const call of message.toolCalls ?? []) {
      for (const item of itemsOf(call.arguments)) {
        if (typeof item['query'] === 'string') queries.add(fold(item['query']));
        if (typeof item['url'] === 'string') urls.add(item['url']);
      }
    }
  }
  return { queries, urls };
}

/** Where a prompt carries no messages of the agent's own, what was shown tells what was asked. */
const requestsSeen = (seen: Seen): { queries: Set<string>; urls: Set<string> } => ({
  queries: new Set(seen.searches.map(({ query }) => fold(query))),
  urls: new Set([...seen.pages.map(({ url }) => url), ...seen.unreadable]),
});

function itemsOf(json: string): Record<string, unknown>[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch {
    return [];
  }
  if (!isRecord(parsed)) return [];
  const listed = parsed['queries'] ?? parsed['urls'] ?? parsed['sub_agents'];
  return Array.isArray(listed) ? listed.filter(isRecord) : [parsed];
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
