import { chunkPage } from '../../domain/agents/chunks.ts';
import { neutralise, cutToTokens, estimateTokens } from '../../domain/agents/text.ts';
import { terseHits } from '../../domain/agents/terse.ts';
import type { AccessInput, SearchInput, ToolResult } from '../../domain/agents/plan.ts';
import { Context } from '@temporalio/activity';
import { shortHash } from '../../domain/ids.ts';
import type { RunConfig } from '../../configs/schema.ts';
import { withTypedFailures } from '../failures.ts';
import type { PlanDocument } from '../run/plan.ts';
import type { Store } from '../store/port.ts';
import type { Hit, Page, SearchProvider } from './port.ts';

export interface ToolDeps {
  store: Store;
  plans: (planRef: string) => Promise<PlanDocument>;
  /** The provider behind a configuration; the same object for the same configuration. */
  search: (config: RunConfig['search']) => Promise<SearchProvider>;
}

/** A passage longer than this is cut in a result list; the page itself is read whole by `access`. */
const PASSAGE_TOKENS = 400;
/** Titles longer than this are cut where they travel through workflow history. */
const TITLE_CHARS = 200;

/**
 * `searchPages` and `readPage`: what the model calls `search` and `access`. Results are stored and returned by
 * reference. An outage is thrown and retried by Temporal; it never looks like an empty result.
 */
export function createToolActivities(deps: ToolDeps) {
  const { store } = deps;

  async function searchPages({ planRef, request, listPages }: SearchInput): Promise<ToolResult> {
    const { config } = await deps.plans(planRef);
    const provider = await deps.search(config.search);
    const topK = request.count || config.search.topK;
    const hits = await provider.search(request.query, topK, Context.current().cancellationSignal);
    const terse = config.agents.prompts === 'terse';
    const ref = await store.put(terse ? printTerse(hits) : printHits(request.query, hits));
    return {
      status: hits.length === 0 ? 'empty' : 'ok',
      part: { kind: 'stored', ref },
      ...(listPages ? { pages: hits.map((hit) => shortHash(hit.url)) } : {}),
    };
  }

  async function readPage({ runId, planRef, agentId, request, chunk }: AccessInput): Promise<ToolResult> {
    const { config } = await deps.plans(planRef);
    const provider = await deps.search(config.search);
    const page = await provider.access(request.url, Context.current().cancellationSignal);
    if ('unreadable' in page) {
      const ref = await store.put(
        `### Page: ${request.url}\nError: this page cannot be read (${page.unreadable}). Use another URL.`,
      );
      return { status: 'unreadable', part: { kind: 'stored', ref } };
    }
    const whole = await store.put(page.text);
    await store.pages.recordRead(runId, { agentId, url: page.url, title: page.title, ref: whole });
    if (chunk) {
      const parts = chunkPage(page.text, chunk).length;
      const title = page.title.slice(0, TITLE_CHARS);
      const part = Math.min(request.page, parts);
      return {
        status: 'ok',
        part: { kind: 'chunk', url: page.url, title, ref: whole, part, parts },
        pages: [shortHash(page.url)],
      };
    }
    const ref = await store.put(printPage(page, request.page, config.search.pageTokens));
    return { status: 'ok', part: { kind: 'stored', ref } };
  }

  return {
    searchPages: withTypedFailures('search', searchPages),
    readPage: withTypedFailures('pages', readPage),
  };
}

export type ToolActivities = ReturnType<typeof createToolActivities>;

/** Result list as the model reads it (spec 2.2): number, URL, title, passage. */
export function printHits(query: string, hits: readonly Hit[]): string {
  const body = hits.map(
    (hit, index) =>
      `[Doc ${index + 1}](${hit.url}): ${neutralise(hit.title)}\n${neutralise(cutToTokens(hit.text, PASSAGE_TOKENS))}`,
  );
  return [`### Search: ${query}`, ...(body.length === 0 ? ['No results.'] : [body.join('\n\n')])].join('\n');
}

/** The same for the terse style: passages alone. */
export const printTerse = (hits: readonly Hit[]): string =>
  terseHits(hits.map(({ text }) => neutralise(cutToTokens(text, PASSAGE_TOKENS))));

/**
 * One part of a page, at most `pageTokens` long, fenced as data. `part` counts from 1; a long page says how many
 * parts it has, so nothing is cut off silently.
 */
export function printPage(page: Page, part: number, pageTokens: number): string {
  const parts = splitPage(page.text, pageTokens);
  const shown = Math.min(Math.max(1, part), parts.length);
  const which = parts.length > 1 ? ` (page ${shown} of ${parts.length})` : '';
  return `### Page: ${page.url}${which}\nTitle: ${neutralise(page.title)}\n<<<\n${neutralise(parts[shown - 1]!)}\n>>>`;
}

function splitPage(text: string, pageTokens: number): string[] {
  if (estimateTokens(text) <= pageTokens) return [text];
  const parts: string[] = [];
  for (let rest = text; rest.length > 0;) {
    const part = cutToTokens(rest, pageTokens);
    parts.push(part);
    rest = rest.slice(part.length).replace(/^\n/, '');
  }
  return parts;
}
