import { z } from 'zod';
import { WideseekError } from '../../../domain/errors.ts';
import type { PageCache } from '../../pages/cache.ts';
import { createCachedReader } from '../../pages/cached-reader.ts';
import { createDirectReader, type PageReader } from '../../pages/direct-reader.ts';
import type { Resolver } from '../../pages/target.ts';
import type { SearchProvider } from '../port.ts';
import type { Env } from './call.ts';
import { createJinaReader } from './jina.ts';
import { createMcpSearch } from './mcp.ts';
import { createSerperSearch, type Searcher } from './serper.ts';

const envName = z
  .string()
  .regex(/^[A-Z_][A-Z0-9_]*$/, 'is the name of an environment variable, e.g. SERPER_API_KEY');
const timeoutMs = z.int().min(100).max(600_000).optional();

/** Search and reading on the open web. Keys are named, never written here. */
export const webSearchSchema = z.strictObject({
  searcher: z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('serper'),
      apiKeyEnv: envName.default('SERPER_API_KEY'),
      endpoint: z.url().optional(),
      timeoutMs,
    }),
    z.strictObject({
      kind: z.literal('mcp'),
      command: z.string().min(1).optional(),
      args: z.array(z.string()).optional(),
      passEnv: z.array(envName).optional(),
      url: z.url().optional(),
      tokenEnv: envName.optional(),
      tool: z.string().optional(),
      timeoutMs,
    }),
  ]),
  reader: z
    .discriminatedUnion('kind', [
      z.strictObject({
        kind: z.literal('direct'),
        /** Addresses, CIDR ranges and host names that may be read although they are private. */
        allow: z.array(z.string()).optional(),
        maxBytes: z
          .int()
          .min(1_024)
          .max(256 * 1024 * 1024)
          .optional(),
        timeoutMs,
        userAgent: z.string().optional(),
        respectRobots: z.boolean().optional(),
      }),
      z.strictObject({
        kind: z.literal('jina'),
        apiKeyEnv: envName.optional(),
        endpoint: z.url().optional(),
        timeoutMs,
      }),
    ])
    .default({ kind: 'direct' }),
});
export type WebSearchConfig = z.infer<typeof webSearchSchema>;
export type WebSearchInput = z.input<typeof webSearchSchema>;

export interface WebSearchDeps {
  /** Pages that were read before; without one every page is fetched each time. */
  cache?: PageCache;
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
  const { searcher, close } = openSearcher(parsed.data.searcher, deps.env);
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

const openReader = (config: WebSearchConfig['reader'], { env, resolve }: WebSearchDeps): PageReader =>
  config.kind === 'jina' ? createJinaReader({ ...config, env }) : createDirectReader({ ...config, resolve });
