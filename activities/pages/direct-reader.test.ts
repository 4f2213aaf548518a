import { readFileSync } from 'node:fs';
import { gzipSync, brotliCompressSync, constants, deflateRawSync, deflateSync, createGzip } from 'node:zlib';
import iconv from 'iconv-lite';
import { afterEach, describe, expect, it } from 'vitest';
import { createDirectReader, type DirectReaderOptions } from './direct-reader.ts';
import { writePdf } from './pdf-writer.fake.ts';
import { article, body, byPath, type Handler, redirect, startSite, type TestSite } from './test-web.fake.ts';

const sites: TestSite[] = [];
afterEach(async () => {
  await Promise.all(sites.splice(0).map((site) => site.stop()));
});
const site = async (
  routes: Record<string, Handler> | Handler,
  tls?: { key: string; cert: string },
): Promise<TestSite> => {
  const started = await startSite(typeof routes === 'function' ? routes : byPath(routes), tls);
  sites.push(started);
  return started;
};
const signal = (): AbortSignal => new AbortController().signal;
const reader = (options: DirectReaderOptions = {}) =>
  createDirectReader({ allow: ['127.0.0.1'], timeoutMs: 5_000, ...options });
const MB = 1024 * 1024;

/** Writes until the reader hangs up. */
const endless =
  (type: string, headers: Record<string, string> = {}): Handler =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': type, ...headers });
    const block = Buffer.alloc(64 * 1024, 'a page without an end ');
    const more = (): void => {
      while (!response.destroyed && response.write(block));
      response.once('drain', more);
    };
    more();
  };

describe('pages', () => {
  it('reads one, with redirects followed and the last address reported', async () => {
    const { url } = await site({
      '/a': redirect('/b', 301),
      '/b': redirect('c?x=1', 307),
      '/c': body(article('There')),
    });
    expect(await reader()(`${url}/a#part`, signal())).toMatchObject({ url: `${url}/c?x=1`, title: 'There' });
  });

  it.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['identity', (text: string) => Buffer.from(text)],
    ['deflate, gzip', (text: string) => gzipSync(deflateSync(text))],
  ])('decompresses %s', async (encoding, compress) => {
    const { url } = await site({
      '/': body(compress(article('Packed')), 'text/html', { 'content-encoding': encoding }),
    });
    expect(await reader()(`${url}/`, signal())).toMatchObject({ title: 'Packed' });
  });

  it('reads a GBK page that claims to be UTF-8', async () => {
    const text = '青溪县位于江东省西部，总面积1862平方千米，下辖九个镇、四个乡，县人民政府驻城关镇。';
    const { url } = await site({ '/': body(iconv.encode(article('青溪县', text.repeat(4)), 'gbk')) });
    expect(await reader()(`${url}/`, signal())).toMatchObject({
      title: '青溪县',
      text: `## 青溪县\n\n${text.repeat(4)}`,
    });
  });
});

describe('bad input gets a typed reason', () => {
  it.each([
    ['', 'invalid_url'],
    ['not a url', 'invalid_url'],
    ['http://', 'invalid_url'],
    [`http://example.org/${'x'.repeat(9_000)}`, 'invalid_url'],
    ['file:///etc/passwd', 'unsupported_scheme'],
    ['data:text/html,<p>x</p>', 'unsupported_scheme'],
    ['ftp://example.org/', 'unsupported_scheme'],
    ['javascript:alert(1)', 'unsupported_scheme'],
    ['http://user:secret@example.org/', 'credentials_in_url'],
    ['https://token@example.org/', 'credentials_in_url'],
  ])('%j', async (url, unreadable) => {
    expect(await reader()(url, signal())).toEqual({ url, unreadable });
  });

  it('an endless page: stops near the limit, in bounded memory', async () => {
    const server = await site({ '/big': endless('text/html') });
    const before = process.memoryUsage().rss;
    expect(
      await reader({ maxBytes: 2 * MB, timeoutMs: 20_000 })(`${server.url}/big`, signal()),
    ).toMatchObject({ unreadable: 'too_large' });
    expect(server.sent()).toBeLessThan(32 * MB);
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * MB);
  });

  it('a page whose header announces 10 GB is not begun', async () => {
    const handler: Handler = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html', 'content-length': String(10 * 1024 * MB) });
      response.write('start');
    };
    const { url } = await site({ '/': handler });
    expect(await reader()(`${url}/`, signal())).toMatchObject({ unreadable: 'too_large' });
  });

  it.each([
    ['gzip', (zeros: Buffer) => gzipSync(zeros)],
    ['br', (zeros: Buffer) => brotliCompressSync(zeros, { params: { [constants.BROTLI_PARAM_QUALITY]: 2 } })],
    ['gzip, gzip', (zeros: Buffer) => gzipSync(gzipSync(zeros))],
  ])('a bomb in %s', async (encoding, compress) => {
    const bomb = compress(Buffer.alloc(32 * MB));
    const { url } = await site({ '/': body(bomb, 'text/html', { 'content-encoding': encoding }) });
    const before = process.memoryUsage().rss;
    expect(await reader({ maxBytes: 1 * MB, timeoutMs: 20_000 })(`${url}/`, signal())).toMatchObject({
      unreadable: 'too_large',
    });
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * MB);
  });

  it('an endless compressed page', async () => {
    const handler: Handler = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' });
      const packer = createGzip();
      packer.pipe(response);
      const more = (): void => {
        while (!response.destroyed && packer.write(Buffer.alloc(64 * 1024)));
        packer.once('drain', more);
      };
      more();
    };
    const { url } = await site({ '/': handler });
    expect(await reader({ maxBytes: MB, timeoutMs: 20_000 })(`${url}/`, signal())).toMatchObject({
      unreadable: 'too_large',
    });
  });

  it('a PDF whose stream is a bomb', async () => {
    const bomb = deflateSync(Buffer.alloc(300 * MB), { level: 1 });
    const { url } = await site({
      '/': body(writePdf({ pages: [['x']], rawStream: bomb }), 'application/pdf'),
    });
    expect(await reader({ timeoutMs: 20_000 })(`${url}/`, signal())).toMatchObject({
      unreadable: 'too_large',
    });
  });

  it('a PDF of scans', async () => {
    const { url } = await site({ '/': body(writePdf({ pages: [[], []] }), 'application/pdf') });
    expect(await reader()(`${url}/`, signal())).toMatchObject({ unreadable: 'scanned_pdf' });
  });

  it.each<[string, Handler]>([
    [
      'a body that never ends',
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/html' });
        response.write('<p>start');
      },
    ],
    [
      'a body that drips',
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/html' });
        const timer = setInterval(() => response.write('x'), 20);
        response.on('close', () => clearInterval(timer));
      },
    ],
    ['no answer', () => undefined],
  ])('%s ends at the deadline', async (_what, handler) => {
    const { url } = await site({ '/': handler });
    const start = Date.now();
    expect(await reader({ timeoutMs: 400 })(`${url}/`, signal())).toMatchObject({ unreadable: 'timeout' });
    expect(Date.now() - start).toBeLessThan(4_000);
  });

  it('a redirect loop and a chain that is too long', async () => {
    const server = await site((request, response) => {
      const step = Number(/\d+/.exec(request.url ?? '')?.[0] ?? 0);
      redirect(request.url === '/loop' ? '/loop' : `/step${step + 1}`)(request, response);
    });
    const read = reader({ respectRobots: false });
    expect(await read(`${server.url}/loop`, signal())).toMatchObject({ unreadable: 'too_many_redirects' });
    expect(await read(`${server.url}/step0`, signal())).toMatchObject({ unreadable: 'too_many_redirects' });
    expect(server.paths()).toEqual(['/loop', '/step0', '/step1', '/step2', '/step3', '/step4', '/step5']);
  });

  it('a self-signed certificate', async () => {
    const pem = readFileSync(new URL('../../test/fixtures/pages/self-signed.pem', import.meta.url), 'utf8');
    const { url } = await site({ '/': body(article('Secret')) }, { key: pem, cert: pem });
    expect(await reader()(`${url}/`, signal())).toMatchObject({ unreadable: 'certificate_error' });
  });

  it.each<[string, Handler, string]>([
    ['one word repeated', body(`<html><body><p>${'cheap '.repeat(5_000)}</p></body></html>`), 'word_dump'],
    ['an unknown encoding', body('x', 'text/html', { 'content-encoding': 'zstd' }), 'unsupported_encoding'],
    [
      'a lie about the encoding',
      body('plain', 'text/html', { 'content-encoding': 'gzip' }),
      'unsupported_encoding',
    ],
    [
      'a body cut off',
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/html', 'content-length': '1000' });
        response.write('<p>half');
        setTimeout(() => response.destroy(), 20);
      },
      'unreachable',
    ],
    ['no HTTP at all', (request) => void request.socket.write('SSH-2.0-OpenSSH_9.6\r\n'), 'bad_response'],
    [
      'headers without end',
      (request) => void request.socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}`),
      'bad_response',
    ],
    ['a redirect to nowhere', redirect('http://'), 'bad_response'],
    ['an empty body', body(''), 'empty'],
    ['status 204', (_request, response) => void response.writeHead(204).end(), 'empty'],
  ])('%s', async (_what, handler, unreadable) => {
    const { url } = await site({ '/': handler });
    expect(await reader()(`${url}/`, signal())).toMatchObject({ unreadable });
  });

  it('a closed port', async () => {
    const server = await startSite(body('x'));
    await server.stop();
    expect(await reader()(`${server.url}/`, signal())).toMatchObject({ unreadable: 'unreachable' });
  });

  it('markup too deep or too large for a tree still gives its words, in time', async () => {
    const deep = `<html><body>${'<div>'.repeat(60_000)}the words at the bottom${'</div>'.repeat(60_000)}</body></html>`;
    const { url } = await site({
      '/deep': body(deep),
      '/many': body(
        `<html><body>${Array.from({ length: 130_000 }, (_, n) => `<b>sentence ${n} of many.</b>\n`).join('')}</body></html>`,
      ),
    });
    const read = reader({ timeoutMs: 25_000 });
    expect(await read(`${url}/deep`, signal())).toMatchObject({ text: 'the words at the bottom' });
    const many = await read(`${url}/many`, signal());
    expect('text' in many && many.text.length).toBeGreaterThan(1_000_000);
  });
});

describe('manners', () => {
  it('reads robots.txt once per site and keeps to it, also after a redirect', async () => {
    const closed = await site({
      '/robots.txt': body('User-agent: *\nDisallow: /', 'text/plain'),
      '/': body(article('Closed')),
    });
    const open = await site({
      '/robots.txt': body(
        'User-agent: *\nDisallow: /private\n\nUser-agent: other\nDisallow: /',
        'text/plain',
      ),
      '/': body(article('Open')),
      '/private': body(article('Private')),
      '/away': redirect(`${closed.url}/`),
    });
    const read = reader();
    expect(await read(`${open.url}/`, signal())).toMatchObject({ title: 'Open' });
    expect(await read(`${open.url}/private`, signal())).toMatchObject({ unreadable: 'robots' });
    expect(await read(`${open.url}/away`, signal())).toMatchObject({ unreadable: 'robots' });
    expect(open.paths()).toEqual(['/robots.txt', '/', '/away']);
    expect(closed.paths()).toEqual(['/robots.txt']);
    expect(await reader({ respectRobots: false })(`${closed.url}/`, signal())).toMatchObject({
      title: 'Closed',
    });
  });

  it('reads nothing where robots.txt is broken, and everything where there is none', async () => {
    const broken = await site(
      (request, response) => void response.writeHead(request.url === '/robots.txt' ? 500 : 200).end('x'),
    );
    expect(await reader()(`${broken.url}/`, signal())).toMatchObject({ unreadable: 'robots' });
    expect(broken.paths()).toEqual(['/robots.txt']);
  });

  it('says who it is', async () => {
    let agent = '';
    const { url } = await site((request, response) => {
      agent = request.headers['user-agent'] ?? '';
      body(article('x'))(request, response);
    });
    await reader({ userAgent: 'tester/1' })(`${url}/`, signal());
    expect(agent).toBe('tester/1');
  });

  it('throws the reason of a cancellation and lets go of the server', async () => {
    const server = await site({ '/': () => undefined });
    const stop = new AbortController();
    const reading = reader({ respectRobots: false })(`${server.url}/`, stop.signal);
    setTimeout(() => stop.abort(new Error('not needed any more')), 50);
    await expect(reading).rejects.toThrow('not needed any more');
  });

  it('refuses an allow-list that it cannot read', () => {
    expect(() => createDirectReader({ allow: ['10.0.0.0/99'] })).toThrow(/pages\.allow.*10\.0\.0\.0\/99/);
  });
});
