import { afterAll, describe, expect, it } from 'vitest';
import { hitsFromReply } from './mcp-hits.ts';
import { createMcpSearch } from './mcp.ts';

const SERVER = new URL('./mcp-server.fake.ts', import.meta.url).pathname;
const signal = (): AbortSignal => new AbortController().signal;
const open = (more: Partial<Parameters<typeof createMcpSearch>[0]> = {}) =>
  createMcpSearch({
    command: process.execPath,
    args: ['--import', 'tsx', SERVER],
    timeoutMs: 25_000,
    ...more,
  });

describe('an MCP server over its pipes', () => {
  const search = open({ passEnv: ['FAKE_SEARCH_KEY'], env: { FAKE_SEARCH_KEY: 'hush-hush-9' } });
  afterAll(() => search.close());

  it('finds its search tool and the names of its arguments', async () => {
    const hits = await search.search('ferries', 3, signal());
    expect(hits).toEqual(
      [0, 1, 2].map((n) => ({
        url: `https://r.example/${n}`,
        title: `Result ${n} for ferries`,
        text: `Snippet ${n}`,
      })),
    );
  });

  it('says what went wrong, and "none" only where there are none', async () => {
    expect(await search.search('none', 3, signal())).toEqual([]);
    await expect(search.search('limit', 3, signal())).rejects.toMatchObject({
      type: 'RateLimited',
      retryable: true,
    });
    await expect(search.search('nonsense', 3, signal())).rejects.toMatchObject({ type: 'BadReply' });
    const refused = await search.search('key', 3, signal()).catch((error: unknown) => error);
    expect(refused).toMatchObject({ type: 'Unauthorized', retryable: false });
    expect(String(refused)).not.toContain('hush-hush');
  });

  it('passes on the variables that are named', async () => {
    expect(await search.search('env', 1, signal())).toMatchObject([{ title: 'hush-hush-9' }]);
  });

  it('is started again after it died', async () => {
    await expect(search.search('crash', 3, signal())).rejects.toMatchObject({ type: 'Overloaded' });
    expect(await search.search('again', 1, signal())).toHaveLength(1);
  });

  it('can be cancelled', async () => {
    const stop = new AbortController();
    const hanging = search.search('hang', 1, stop.signal);
    setTimeout(() => stop.abort(new Error('enough')), 50);
    await expect(hanging).rejects.toThrow('enough');
  });
});

describe('configuration', () => {
  it.each([
    [{ command: undefined }, 'InvalidInput', /command.*url/],
    [{ tool: 'no_such' }, 'ConfigError', /web_search, fetch_page/],
    [{ command: '/no/such/program', args: [] }, 'ConfigError', /cannot start/],
    [{ passEnv: ['NOT_SET_ANYWHERE'], env: {} }, 'ConfigError', /NOT_SET_ANYWHERE/],
    [{ command: undefined, url: 'http://127.0.0.1:9/mcp', timeoutMs: 3_000 }, 'Overloaded', /./],
  ])('%j', async (options, type, message) => {
    const attempt = async () => {
      const search = open(options);
      return search.search('x', 1, signal()).finally(() => search.close());
    };
    const error = await attempt().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ type });
    expect(String(error)).toMatch(message);
  });
});

describe('hitsFromReply', () => {
  const hit = { url: 'https://a.example/1', title: 'One', text: 'First.' };
  it.each<[string, unknown, string[]]>([
    ['structured content', { results: [{ url: hit.url, title: 'One', description: 'First.' }] }, []],
    ['JSON text', undefined, [JSON.stringify([{ link: hit.url, title: 'One', snippet: 'First.' }])]],
    [
      'nested JSON',
      undefined,
      [JSON.stringify({ web: { results: [{ url: hit.url, name: 'One', content: 'First.' }] } })],
    ],
    [
      'one JSON object per block',
      undefined,
      [JSON.stringify({ href: hit.url, title: 'One', text: 'First.' })],
    ],
    ['labelled lines', undefined, ['Title: One\nURL: https://a.example/1\nDescription: First.']],
    ['Markdown', undefined, ['1. [One](https://a.example/1)\n   First.']],
    ['plain lines', undefined, ['One\nhttps://a.example/1\nFirst.']],
  ])('%s', (_what, structured, texts) => expect(hitsFromReply(structured, texts)).toEqual([hit]));

  it.each<[unknown, string[], unknown]>([
    [{ results: [] }, [], []],
    [undefined, ['[]'], []],
    [undefined, ['No matching documents were found'], []],
    [undefined, ['I am a teapot'], undefined],
    [undefined, ['{"ok": true}'], undefined],
  ])('%j %j', (structured, texts, expected) => expect(hitsFromReply(structured, texts)).toEqual(expected));
});
