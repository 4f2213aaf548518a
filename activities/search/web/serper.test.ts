import { afterEach, describe, expect, it } from 'vitest';
import type { WideseekError } from '../../../domain/errors.ts';
import { type Handler, startSite, type TestSite } from '../../pages/test-web.fake.ts';
import { createSerperSearch } from './serper.ts';

const KEY = 'f00dfeedf00dfeedf00dfeedf00dfeed';
const sites: TestSite[] = [];
afterEach(async () => {
  await Promise.all(sites.splice(0).map((site) => site.stop()));
});
const signal = (): AbortSignal => new AbortController().signal;

async function serper(handler: Handler, env: Record<string, string> = { MY_KEY: KEY }, timeoutMs = 5_000) {
  const site = await startSite(handler);
  sites.push(site);
  return createSerperSearch({ apiKeyEnv: 'MY_KEY', endpoint: `${site.url}/search`, env, timeoutMs });
}
const answers =
  (status: number, text: string, headers: Record<string, string> = {}): Handler =>
  (request, response) => {
    request.resume().on('end', () => response.writeHead(status, headers).end(text));
  };
const failure = async (
  handler: Handler,
  env?: Record<string, string>,
  timeoutMs?: number,
): Promise<WideseekError> => {
  const search = await serper(handler, env, timeoutMs);
  const error: unknown = await search.search('q', 3, signal()).catch((reason: unknown) => reason);
  expect(JSON.stringify(error) + String(error)).not.toContain(KEY);
  return error as WideseekError;
};

/** The shape that the service answers with. */
const reply = (organic: unknown) =>
  JSON.stringify({
    searchParameters: { q: 'ferry', type: 'search', num: 3, engine: 'google' },
    knowledgeGraph: { title: 'Ferry', description: 'ignored' },
    answerBox: { answer: 'ignored', link: 'https://ignored.example/' },
    organic,
    peopleAlsoAsk: [],
    credits: 1,
  });

describe('Serper', () => {
  it('sends the query and the key as the service wants them', async () => {
    let seen: unknown;
    const search = await serper((request, response) => {
      let text = '';
      request.on('data', (chunk: Buffer) => (text += chunk.toString()));
      request.on('end', () => {
        seen = [request.method, request.url, request.headers['x-api-key'], JSON.parse(text)];
        response.end(reply([]));
      });
    });
    await search.search(`  ${'é'.repeat(2_500)}`, 7, signal());
    expect(seen).toEqual(['POST', '/search', KEY, { q: 'é'.repeat(2_000), num: 7 }]);
  });

  it('asks for a language and a country where they are configured', async () => {
    let seen: unknown;
    const site = await startSite((request, response) => {
      let text = '';
      request.on('data', (chunk: Buffer) => (text += chunk.toString()));
      request.on('end', () => {
        seen = JSON.parse(text);
        response.end(reply([]));
      });
    });
    sites.push(site);
    const options = {
      apiKeyEnv: 'MY_KEY',
      endpoint: site.url,
      env: { MY_KEY: KEY },
      language: 'de',
      country: 'at',
    };
    await createSerperSearch(options).search('Fähre', 2, signal());
    expect(seen).toEqual({ q: 'Fähre', num: 2, gl: 'at', hl: 'de' });
  });

  it('returns organic hits in order, at most as many as asked', async () => {
    const organic = [1, 2, 3, 4].map((n) => ({
      title: `T${n}`,
      link: `https://a.example/${n}`,
      snippet: `S${n}`,
      position: n,
    }));
    const search = await serper(answers(200, reply(organic)));
    expect(await search.search('q', 3, signal())).toEqual(
      [1, 2, 3].map((n) => ({ url: `https://a.example/${n}`, title: `T${n}`, text: `S${n}` })),
    );
  });

  it('skips entries without a link and fills what is missing', async () => {
    const search = await serper(answers(200, reply([{ title: 'no link' }, { link: 'https://a.example/' }])));
    expect(await search.search('q', 3, signal())).toEqual([
      { url: 'https://a.example/', title: '', text: '' },
    ]);
  });

  it('says that there are no results only where there are none', async () => {
    expect(await (await serper(answers(200, reply([])))).search('q', 3, signal())).toEqual([]);
    expect(await (await serper(answers(200, reply(undefined)))).search('q', 3, signal())).toEqual([]);
    expect(await failure(answers(200, reply([{ title: 'no link' }])))).toMatchObject({ type: 'BadReply' });
    expect(await failure(answers(200, '{}'))).toMatchObject({ type: 'BadReply' });
  });

  it.each<[string, Handler, string, boolean]>([
    ['401', answers(401, '{"message":"Unauthorized."}'), 'Unauthorized', false],
    ['403', answers(403, `{"message":"Invalid key ${KEY}"}`), 'Unauthorized', false],
    ['400 without credit', answers(402, '{"message":"Not enough credits"}'), 'Unauthorized', false],
    ['400', answers(400, '{"message":"Missing query"}'), 'BadRequest', false],
    ['429', answers(429, '{}', { 'retry-after': '7' }), 'RateLimited', true],
    ['500', answers(500, 'oops'), 'Overloaded', true],
    ['503', answers(503, '<html><body>busy</body></html>'), 'Overloaded', true],
    ['HTML with 200', answers(200, '<!doctype html><p>Hello</p>'), 'BadReply', true],
    ['half a reply', answers(200, '{"organic": ['), 'BadReply', true],
    ['another shape', answers(200, '{"organic": {"a": 1}}'), 'BadReply', true],
    ['a redirect', answers(302, '', { location: 'http://169.254.169.254/' }), 'BadReply', true],
    ['a broken connection', (request) => void request.socket.destroy(), 'Overloaded', true],
  ])('%s', async (_what, handler, type, retryable) => {
    expect(await failure(handler)).toMatchObject({ type, retryable });
  });

  it('waits as long as the service asks', async () => {
    expect((await failure(answers(429, '{}', { 'retry-after': '7' }))).details.retryAfterMs).toBe(7_000);
  });

  it('gives up at the deadline, also on a body that never ends', async () => {
    expect(await failure(() => undefined, undefined, 200)).toMatchObject({ type: 'Timeout' });
    expect(await failure((_request, response) => void response.write('{'), undefined, 200)).toMatchObject({
      type: 'Timeout',
    });
  });

  it('names the variable of a key that is missing, and asks nothing', async () => {
    const error = await failure(answers(200, reply([])), {});
    expect(error).toMatchObject({
      type: 'ConfigError',
      message: expect.stringContaining('MY_KEY') as string,
    });
    expect(sites.at(-1)?.connections()).toBe(0);
  });

  it('throws the reason of a cancellation', async () => {
    const search = await serper(() => undefined);
    const stop = new AbortController();
    const searching = search.search('q', 3, stop.signal);
    setTimeout(() => stop.abort(new Error('enough')), 30);
    await expect(searching).rejects.toThrow('enough');
  });
});
