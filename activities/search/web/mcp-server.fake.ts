import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';

/** A search server over its pipes. The query decides how it behaves. */
const server = new McpServer({ name: 'fake-search', version: '1.0.0' });

server.registerTool(
  'web_search',
  { description: 'Searches', inputSchema: { query: z.string(), max_results: z.number().optional() } },
  async ({ query, max_results = 5 }) => {
    const say = (text: string, isError = false) => ({ content: [{ type: 'text' as const, text }], isError });
    if (query === 'crash') process.exit(1);
    if (query === 'hang') await new Promise(() => undefined);
    if (query === 'none') return say('No results found.');
    if (query === 'limit') return say('429: rate limit reached', true);
    if (query === 'key')
      return say(`Unauthorized: bad api_key=${process.env.FAKE_SEARCH_KEY ?? 'none'}`, true);
    if (query === 'nonsense') return say('The weather is fine.');
    if (query === 'env')
      return say(
        JSON.stringify([{ url: 'https://env.example/', title: process.env.FAKE_SEARCH_KEY ?? 'unset' }]),
      );
    const results = Array.from({ length: max_results }, (_, n) => ({
      url: `https://r.example/${n}`,
      title: `Result ${n} for ${query}`,
      snippet: `Snippet ${n}`,
    }));
    return say(JSON.stringify({ results }));
  },
);
server.registerTool('fetch_page', { description: 'Reads', inputSchema: { url: z.string() } }, async () => ({
  content: [],
}));

await server.connect(new StdioServerTransport());
