import { afterEach, describe, expect, it } from 'vitest';
import { type Handler, startSite, type TestSite } from '../../pages/test-web.fake.ts';
import { createJinaReader } from './jina.ts';

const KEY = 'jina_0123456789abcdef';
const sites: TestSite[] = [];
afterEach(async () => {
  await Promise.all(sites.splice(0).map((site) => site.stop()));
});
const signal = (): AbortSignal => new AbortController().signal;
async function jina(handler: Handler, apiKeyEnv: string | undefined = 'MY_KEY') {
  const site = await startSite(handler);
  sites.push(site);
  return createJinaReader({ apiKeyEnv, endpoint: site.url, env: { MY_KEY: KEY }, timeoutMs: 3_000 });
}
const answers =
  (
    status: number,
    text: string,
    headers: Record<string, string> = { 'content-type': 'text/plain' },
  ): Handler =>
  (_request, response) => {
    response.writeHead(status, headers).end(text);
  };
const PAGE = 'https://a.example/x?y=1';
const TEXT = 'The lighthouse was lit in 1871. Its keepers lived in the tower until 1967.';
const reply = (body: string, head = '') =>
  `Title: The lighthouse\n\nURL Source: https://a.example/x\n\n${head}Markdown Content:\n${body}`;

describe('the Jina reader', () => {
  it('asks for the page with the key and takes the reply apart', async () => {
    let seen: unknown;
    const read = await jina((request, response) => {
      seen = [request.url, request.headers.authorization];
      response.end(reply(TEXT, 'Published Time: 2020-01-01\n\n'));
    });
    expect(await read(PAGE, signal())).toEqual({
      url: 'https://a.example/x',
      title: 'The lighthouse',
      text: TEXT,
    });
    expect(seen).toEqual([`/${PAGE}`, `Bearer ${KEY}`]);
  });

  it('works without a key and with a bare text', async () => {
    let authorization: string | undefined = 'none yet';
    const site = await startSite((request, response) => {
      authorization = request.headers.authorization;
      response.end(TEXT);
    });
    sites.push(site);
    const read = createJinaReader({ endpoint: site.url });
    expect(await read(PAGE, signal())).toEqual({ url: PAGE, title: PAGE, text: TEXT });
    expect(authorization).toBeUndefined();
  });

  it.each([
    ['a missing page', answers(404, ''), 'not_found'],
    ['a page that cannot be loaded', answers(422, '{"message":"net::ERR_NAME_NOT_RESOLVED"}'), 'unreachable'],
    ['a blocked page', answers(451, ''), 'forbidden'],
    [
      'a warning',
      answers(200, reply('Sorry', 'Warning: Target URL returned error 404: Not Found\n\n')),
      'not_found',
    ],
    [
      'a captcha',
      answers(
        200,
        reply('x', 'Warning: This page maybe requiring CAPTCHA, please make sure you are authorized\n\n'),
      ),
      'challenge',
    ],
    ['nothing', answers(200, reply('')), 'empty'],
    ['a wall', answers(200, reply('Please log in to continue.')), 'login_required'],
    ['one word', answers(200, reply('cheap '.repeat(2_000))), 'word_dump'],
  ])('%s is a reason', async (_what, handler, unreadable) => {
    expect(await (await jina(handler))(PAGE, signal())).toEqual({ url: PAGE, unreadable });
  });

  it.each([
    [401, 'Unauthorized', false],
    [402, 'Unauthorized', false],
    [403, 'Unauthorized', false],
    [400, 'BadRequest', false],
    [429, 'RateLimited', true],
    [503, 'Overloaded', true],
  ])('status %i of the service is thrown as %s', async (status, type, retryable) => {
    const read = await jina(answers(status, `{"message":"token ${KEY} refused"}`));
    const error: unknown = await read(PAGE, signal()).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ type, retryable });
    expect(String(error)).not.toContain(KEY);
  });

  it('is not fooled by a web page with status 200', async () => {
    const read = await jina(answers(200, '<!doctype html><html></html>', { 'content-type': 'text/html' }));
    await expect(read(PAGE, signal())).rejects.toMatchObject({ type: 'BadReply' });
  });

  it.each([
    ['file:///etc/passwd', 'unsupported_scheme'],
    ['https://me:secret@a.example/', 'credentials_in_url'],
    ['http://127.0.0.1/admin', 'private_address'],
    ['http://2130706433/', 'private_address'],
    ['http://wiki.internal/', 'private_address'],
    ['nonsense', 'invalid_url'],
  ])('does not send %s to anybody', async (url, unreadable) => {
    const read = await jina(answers(200, reply(TEXT)));
    expect(await read(url, signal())).toEqual({ url, unreadable });
    expect(sites.at(-1)?.connections()).toBe(0);
  });
});
