import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { z } from 'zod';
import { type FailureType, invalidInput, WideseekError } from '../../../domain/errors.ts';
import { withDeadline } from '../../model/deadline.ts';
import { rethrowIfCancelled, toWideseekError } from '../../provider-errors.ts';
import { fromHttp } from '../../provider-http.ts';
import { redact } from '../../redact.ts';
import { type Env, keyFrom } from './call.ts';
import { hitsFromReply } from './mcp-hits.ts';
import type { Searcher } from './serper.ts';

export interface McpOptions {
  /** A server that is started as a process and spoken to over its pipes. */
  command?: string;
  args?: readonly string[];
  /** Names of environment variables that the process gets besides the harmless ones. */
  passEnv?: readonly string[];
  /** A server that is reached over HTTP instead. */
  url?: string;
  /** Name of the environment variable with the bearer token for `url`. */
  tokenEnv?: string;
  /** The search tool's name. Default: the only tool with "search" in its name. */
  tool?: string;
  env?: Env;
  timeoutMs?: number;
}

const SERVICE = 'MCP search';
const TIMEOUT_MS = 60_000;
const QUERY_NAMES = ['query', 'q', 'search_query', 'searchQuery', 'keywords', 'question', 'text', 'input'];
const COUNT_NAMES = [
  'count',
  'num',
  'limit',
  'topK',
  'top_k',
  'max_results',
  'maxResults',
  'num_results',
  'numResults',
  'n',
];

const contentSchema = z.array(z.looseObject({ type: z.string(), text: z.string().optional() }));

interface Connection {
  client: Client;
  tool: string;
  queryName: string;
  countName?: string;
}

/**
 * Search by a tool of any MCP server. The server is started or connected to at the first search and again after it
 * went away. Throws typed errors: `ConfigError` for a tool that is not there, else what the failure means.
 */
export function createMcpSearch(options: McpOptions): Searcher & { close(): Promise<void> } {
  const { env = process.env, timeoutMs = TIMEOUT_MS } = options;
  if (!options.command === !options.url) throw invalidInput('search.mcp', 'needs either `command` or `url`');
  let connection: Promise<Connection> | undefined;

  const connected = (): Promise<Connection> => {
    const opening = (connection ??= connect(options, env, timeoutMs));
    const forget = (): void => {
      if (connection === opening) connection = undefined;
    };
    opening.then(({ client }) => (client.onclose = forget), forget);
    return opening;
  };

  return {
    name: 'mcp',
    search: async (query, topK, signal) => {
      if (query.trim() === '' || topK < 1) return [];
      rethrowIfCancelled(signal);
      try {
        const reply = await withDeadline(signal, timeoutMs, async (inner) => {
          const { client, tool, queryName, countName } = await connected();
          const args = { [queryName]: query, ...(countName ? { [countName]: topK } : {}) };
          return client.callTool({ name: tool, arguments: args }, undefined, {
            signal: inner,
            timeout: timeoutMs,
          });
        });
        const blocks = contentSchema.parse(reply.content ?? []);
        const texts = blocks.flatMap(({ type, text }) =>
          type === 'text' && text !== undefined ? [text] : [],
        );
        if (reply.isError) throw toolFailure(texts.join(' '));
        const hits = hitsFromReply(reply.structuredContent, texts);
        if (!hits)
          throw new WideseekError(
            'BadReply',
            `${SERVICE}: the tool's reply holds no results that can be read`,
          );
        return hits.slice(0, topK);
      } catch (error) {
        rethrowIfCancelled(signal);
        throw explained(error);
      }
    },
    close: async () => {
      const open = await connection?.catch(() => undefined);
      connection = undefined;
      await open?.client.close();
    },
  };
}

async function connect(options: McpOptions, env: Env, timeoutMs: number): Promise<Connection> {
  const client = new Client({ name: 'wideseek', version: '0.1.0' });
  try {
    await client.connect(openTransport(options, env), { timeout: timeoutMs });
    const { tools } = await client.listTools(undefined, { timeout: timeoutMs });
    const named = tools.filter(({ name }) => (options.tool ? name === options.tool : /search/i.test(name)));
    const [tool] = named;
    if (!tool || named.length > 1)
      throw new WideseekError(
        'ConfigError',
        `${SERVICE}: ${tool ? 'several search tools' : 'no such search tool'}`,
        {
          hint: `Set \`tool\` to one of: ${tools.map(({ name }) => name).join(', ') || '(the server has none)'}`,
        },
      );
    const names = Object.keys(tool.inputSchema.properties ?? {});
    const required = tool.inputSchema.required ?? [];
    const queryName = QUERY_NAMES.find((name) => names.includes(name)) ?? required[0] ?? names[0];
    if (!queryName)
      throw new WideseekError('ConfigError', `${SERVICE}: the tool ${tool.name} takes no arguments`, {
        hint: 'Name a tool that takes a query',
      });
    return {
      client,
      tool: tool.name,
      queryName,
      countName: COUNT_NAMES.find((name) => names.includes(name)),
    };
  } catch (error) {
    await client.close().catch(() => undefined);
    throw error;
  }
}

function openTransport({ command, args, passEnv, url, tokenEnv }: McpOptions, env: Env): Transport {
  if (command) {
    const passed = (passEnv ?? []).map((name) => [name, keyFrom(env, name, SERVICE)] as const);
    return new StdioClientTransport({
      command,
      args: [...(args ?? [])],
      env: { ...getDefaultEnvironment(), ...Object.fromEntries(passed) },
      stderr: 'ignore',
    });
  }
  if (!url || !URL.canParse(url)) throw invalidInput('search.mcp.url', 'is no URL');
  const headers = tokenEnv ? { authorization: `Bearer ${keyFrom(env, tokenEnv, SERVICE)}` } : undefined;
  return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers, redirect: 'error' } });
}

/** What a tool that reports an error in words means. */
function toolFailure(said: string): WideseekError {
  const type: FailureType = /rate.?limit|too many requests|\b429\b|quota/i.test(said)
    ? 'RateLimited'
    : /unauthori[sz]ed|forbidden|\b40[13]\b|api.?key|invalid (token|credential)/i.test(said)
      ? 'Unauthorized'
      : /invalid (argument|param|input)|validation|\b(400|422)\b/i.test(said)
        ? 'BadRequest'
        : /time[d ]?.?out/i.test(said)
          ? 'Timeout'
          : 'Overloaded';
  return new WideseekError(type, `${SERVICE}: the tool failed: ${redact(said).slice(0, 300)}`);
}

/** The SDK's own errors: JSON-RPC codes and HTTP statuses in `code`. */
function explained(error: unknown): WideseekError {
  if (error instanceof WideseekError) return error;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const said = error instanceof Error ? redact(error.message).slice(0, 300) : '';
  if (code === -32001) return new WideseekError('Timeout', `${SERVICE}: no answer within the deadline`);
  if (code === -32000) return new WideseekError('Overloaded', `${SERVICE}: the connection was closed`);
  if (code === -32602 || code === -32601) return new WideseekError('BadRequest', `${SERVICE}: ${said}`);
  if (code === 'ENOENT' || code === 'EACCES')
    return new WideseekError('ConfigError', `${SERVICE}: cannot start the server: ${said}`);
  if (typeof code === 'number' && code >= 400 && code < 600)
    return fromHttp({ status: code, body: said }, SERVICE);
  return toWideseekError(error, SERVICE);
}
