import { chunkPage } from '../../domain/agents/chunks.ts';
import type { AccessInput, SearchInput, ToolResult } from '../../domain/agents/plan.ts';
import { Context } from '@temporalio/activity';
import { shortHash } from '../../domain/ids.ts';
import type { RunConfig } from '../../configs/schema.ts';
import { withTypedFailures } from '../failures.ts';
import type { PlanDocument } from '../run/plan.ts';
import type { Store } from '../store/port.ts';
import { createFoundUrls } from './found-urls.ts';
import type { SearchProvider } from './port.ts';
import { printHits, printPage, printTerse, printUnreadable } from './print.ts';

export { printHits, printPage, printTerse };

export interface ToolDeps {
  store: Store;
  plans: (planRef: string) => Promise<PlanDocument>;
  /** The provider behind a configuration; the same object for the same configuration. */
  search: (config: RunConfig['search']) => Promise<SearchProvider>;
}

/** Titles longer than this are cut where they travel through workflow history. */
const TITLE_CHARS = 200;

/**
 * `searchPages` and `readPage`: what the model calls `search` and `access`. Results are stored and returned by
 * reference. An outage is thrown and retried by Temporal; it never looks like an empty result.
 */
export function createToolActivities(deps: ToolDeps) {
  const { store } = deps;
  const found = createFoundUrls(store);

  async function searchPages({ runId, planRef, request, listPages }: SearchInput): Promise<ToolResult> {
    const { config } = await deps.plans(planRef);
    const provider = await deps.search(config.search);
    const topK = request.count || config.search.topK;
    const hits = await provider.search(request.query, topK, Context.current().cancellationSignal);
    if (config.search.onlyFound)
      await found.add(
        runId,
        hits.map((hit) => hit.url),
      );
    const terse = config.agents.prompts === 'terse';
    const ref = await store.put(terse ? printTerse(hits) : printHits(request.query, hits));
    return {
      status: hits.length === 0 ? 'empty' : 'ok',
      part: { kind: 'stored', ref },
      ...(listPages ? { pages: hits.map((hit) => shortHash(hit.url)) } : {}),
    };
  }

  async function readPage({
    runId,
    planRef,
    agentId,
    request,
    chunk,
    summarise,
  }: AccessInput): Promise<ToolResult> {
    const { config } = await deps.plans(planRef);
    const { onlyFound, followLinks, pageTokens, summary } = config.search;
    if (onlyFound && !(await found.allows(runId, request.url, followLinks)))
      return unreadable(
        request.url,
        `not_from_search: this run opens only addresses that ${followLinks ? 'its searches returned or that stand on pages it has read' : 'its searches returned'}`,
      );
    const provider = await deps.search(config.search);
    const page = await provider.access(request.url, Context.current().cancellationSignal);
    if ('unreadable' in page) return unreadable(request.url, page.unreadable);
    // Where redirects ended is the address that the model is shown, and that it asks for the next part of.
    if (onlyFound) await found.add(runId, [page.url]);
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
    const partTokens = summarise ? summary.pageTokens : pageTokens;
    const ref = await store.put(printPage(page, request.page, partTokens, pageTokens));
    if (!summarise) return { status: 'ok', part: { kind: 'stored', ref } };
    const source = await store.put(JSON.stringify({ url: page.url, title: page.title, ref: whole }));
    return { status: 'ok', part: { kind: 'stored', ref }, source };
  }

  async function unreadable(url: string, why: string): Promise<ToolResult> {
    const ref = await store.put(printUnreadable(url, why));
    return { status: 'unreadable', part: { kind: 'stored', ref } };
  }

  return {
    searchPages: withTypedFailures('search', searchPages),
    readPage: withTypedFailures('pages', readPage),
  };
}

export type ToolActivities = ReturnType<typeof createToolActivities>;
