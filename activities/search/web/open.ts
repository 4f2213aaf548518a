import { WideseekError } from '../../../domain/errors.ts';
import { type WebSearchConfig, type WebSearchInput, webSearchSchema } from '../../../configs/web-schema.ts';
import type { PageCache } from '../../pages/cache.ts';
import { createCachedReader } from '../../pages/cached-reader.ts';
import { createDirectReader, type PageReader } from '../../pages/direct-reader.ts';
import type { Extract } from '../../pages/extractor.ts';
import type { Resolver } from '../../pages/target.ts';
import type { Documents } from '../../store/port.ts';
import type { SearchProvider } from '../port.ts';
import type { Env } from './call.ts';
import { createJinaReader } from './jina.ts';
import { createMcpSearch } from './mcp.ts';
import { createCachedSearch } from './search-cache.ts';
import { createSerperSearch, type Searcher } from './serper.ts';

export interface WebSearchDeps {
  /** Pages that were read before; without one every page is fetched each time. */
  cache?: PageCache;
  /** Where search results are kept; without it every search is paid for. */
  documents?: Pick<Documents, 'put' | 'get' | 'trim'>;
  /** How the direct reader takes text out of documents; default: in this thread. */
  extract?: Extract;
  env?: Env;
  resolve?: Resolver;
}

/**
 * A search provider of one searcher and one reader, with pages cached and read once. Throws `ConfigError` naming
 * the field for a bad configuration. Nothing is asked before the first search. `close` ends an MCP server.
 */
export function openWebSearch(
  config: WebSearchInput,
  deps: WebSearchDeps = {},
): SearchProvider & { close(): Promise<void> } {
  const parsed = webSearchSchema.safeParse(config);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new WideseekError(
      'ConfigError',
      `search.web.${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'is wrong'}`,
    );
  }
  const { searcher: service, close } = openSearcher(parsed.data.searcher, deps.env);
  const searcher = withCache(service, parsed.data, deps);
  const read = openReader(parsed.data.reader, deps);
  const access = deps.cache ? createCachedReader({ read, cache: deps.cache }) : read;
  return {
    name: searcher.name,
    search: (query, topK, signal) => searcher.search(query, topK, signal),
    access,
    close,
  };
}

function openSearcher(
  config: WebSearchConfig['searcher'],
  env: Env | undefined,
): { searcher: Searcher; close: () => Promise<void> } {
  if (config.kind === 'serper')
    return { searcher: createSerperSearch({ ...config, env }), close: () => Promise.resolve() };
  const searcher = createMcpSearch({ ...config, env });
  return { searcher, close: () => searcher.close() };
}

function withCache(
  service: Searcher,
  { searcher, cache }: WebSearchConfig,
  { documents }: WebSearchDeps,
): Searcher {
  if (!documents || cache.searchHours === 0) return service;
  const { timeoutMs: _howLong, ...identity } = searcher;
  const { searchHours: hours, emptyMinutes, searches: entries } = cache;
  return createCachedSearch(service, { documents, identity, hours, emptyMinutes, entries });
}

const openReader = (
  config: WebSearchConfig['reader'],
  { env, resolve, extract }: WebSearchDeps,
): PageReader =>
  config.kind === 'jina'
    ? createJinaReader({ ...config, env })
    : createDirectReader({ ...config, resolve, extract });
