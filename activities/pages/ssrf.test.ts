import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDirectReader } from './direct-reader.ts';
import type { Resolver } from './target.ts';
import { article, body, redirect, startSite, type TestSite } from './test-web.fake.ts';

/** Stands for everything private on this machine; no test may ever connect to it. */
let canary: TestSite;
let canary6: TestSite | undefined;
/** Allowed by name; sends readers to the canary. */
let trap: TestSite;
const signal = (): AbortSignal => new AbortController().signal;

beforeAll(async () => {
  canary = await startSite(body(article('Secret')));
  canary6 = await startSite(body(article('Secret')), undefined, '::1').catch(() => undefined);
  trap = await startSite((request, response) => {
    const to = new URL(request.url ?? '', 'http://x').searchParams.get('to');
    redirect(to ?? '/nowhere')(request, response);
  });
});
afterAll(async () => {
  expect(canary.connections()).toBe(0);
  expect(canary6?.connections() ?? 0).toBe(0);
  await Promise.all([canary.stop(), canary6?.stop(), trap.stop()]);
});

/** A reader for which names mean what the test says; nothing is asked of the real DNS. */
const reader = (names: Record<string, string[]> = {}, allow: string[] = []) => {
  const resolve: Resolver = async (host) => {
    const found = names[host];
    if (!found) throw new Error(`unknown name ${host}`);
    return found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
  return createDirectReader({ resolve, allow, timeoutMs: 5_000 });
};

const LOOPBACK_FORMS = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '127.255.255.254',
  '2130706433',
  '0x7f000001',
  '0x7f.0.0.1',
  '0x7f.1',
  '017700000001',
  '0177.0.0.1',
  '0177.0.0.01',
  '127.0.0.1.',
  '%31%32%37.0.0.1',
  '１２７.0.0.1',
  '127。0。0。1',
  '0',
  '0.0.0.0',
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'foo.localhost',
  'localhost.localdomain',
];

const OTHER_PRIVATE = [
  '10.0.0.1',
  '10.255.255.255',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '100.64.0.1',
  '100.127.255.255',
  '169.254.169.254',
  '0xa9fea9fe',
  '2852039166',
  '0251.0376.0251.0376',
  '192.0.2.1',
  '198.18.0.1',
  '203.0.113.9',
  '224.0.0.1',
  '239.255.255.250',
  '255.255.255.255',
  '240.0.0.1',
  '[fe80::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[fec0::1]',
  '[ff02::1]',
  '[::ffff:169.254.169.254]',
  '[::ffff:8.8.8.8]',
  '[2001::1]',
  '[2001:db8::1]',
  '[100::1]',
  'metadata.google.internal',
  'metadata',
  'instance-data',
  'kubernetes.default.svc',
  'db.cluster.local',
  'printer.local',
  'intranet',
  'host.docker.internal',
];

describe('addresses written in the URL', () => {
  it.each([...LOOPBACK_FORMS, ...OTHER_PRIVATE])('%s', async (host) => {
    for (const scheme of ['http', 'https']) {
      const url = `${scheme}://${host}:${canary.port}/`;
      expect(await reader()(url, signal())).toEqual({ url, unreadable: 'private_address' });
    }
  });

  it('refuses every private IPv4 address in every notation', async () => {
    const octet = fc.integer({ min: 0, max: 255 });
    const first = fc.constantFrom([127], [10], [169, 254], [192, 168], [172, 20], [100, 100], [0], [230]);
    await fc.assert(
      fc.asyncProperty(
        first,
        fc.array(octet, { minLength: 3, maxLength: 3 }),
        fc.integer({ min: 0, max: 4 }),
        async (head, rest, form) => {
          const parts = [...head, ...rest].slice(0, 4);
          const value = parts.reduce((sum, part) => sum * 256 + part, 0);
          const forms = [
            parts.join('.'),
            String(value),
            `0x${value.toString(16)}`,
            parts.map((part) => `0${part.toString(8)}`).join('.'),
            `[::ffff:${parts.join('.')}]`,
          ];
          const page = await reader()(`http://${forms[form]}:${canary.port}/`, signal());
          expect(page).toMatchObject({ unreadable: 'private_address' });
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe('names', () => {
  it.each([
    ['one loopback address', ['127.0.0.1']],
    ['a private address among public ones', ['93.184.216.34', '127.0.0.1']],
    ['IPv6 loopback', ['::1']],
    ['a mapped address', ['::ffff:127.0.0.1']],
    ['a NAT64 address', ['64:ff9b::7f00:1']],
    ['link-local with a zone', ['fe80::1%eth0']],
    ['the metadata service', ['169.254.169.254']],
    ['a short form that sockets expand', ['127.1']],
  ])('refuses a name with %s', async (_what, addresses) => {
    const page = await reader({ 'rebind.example': addresses })(
      `http://rebind.example:${canary.port}/`,
      signal(),
    );
    expect(page).toMatchObject({ unreadable: 'private_address' });
  });

  it('says so where a name does not exist', async () => {
    expect(await reader()('http://nowhere.example/', signal())).toMatchObject({ unreadable: 'dns_failed' });
    expect(await reader({ 'none.example': [] })('http://none.example/', signal())).toMatchObject({
      unreadable: 'dns_failed',
    });
  });
});

describe('rebinding', () => {
  it('connects to the address that was checked, though the name means the canary by then', async () => {
    const open = await startSite(body(article('Open')), undefined, '127.0.0.9');
    let asked = 0;
    // First answer: the allowed server; every later one: the canary, which is not allowed.
    const resolve: Resolver = async () => [{ address: asked++ === 0 ? '127.0.0.9' : '127.0.0.1', family: 4 }];
    const read = createDirectReader({
      resolve,
      allow: ['127.0.0.9'],
      respectRobots: false,
      timeoutMs: 5_000,
    });
    expect(await read(`http://rebind.example:${open.port}/`, signal())).toMatchObject({ title: 'Open' });
    expect(asked).toBe(1);
    expect(await read(`http://rebind.example:${canary.port}/`, signal())).toMatchObject({
      unreadable: 'private_address',
    });
    await open.stop();
  });

  it('never lets the system resolve the name of a connection', async () => {
    const open = await startSite(body(article('Open')), undefined, '127.0.0.9');
    // `localhost` is the canary's host for the system; the check was told another address.
    const resolve: Resolver = async () => [{ address: '127.0.0.9', family: 4 }];
    const read = createDirectReader({
      resolve,
      allow: ['localhost'],
      respectRobots: false,
      timeoutMs: 5_000,
    });
    expect(await read(`http://localhost:${open.port}/`, signal())).toMatchObject({ title: 'Open' });
    await open.stop();
  });
});

describe('redirects', () => {
  const targets = (): string[] => [
    'http://169.254.169.254/latest/meta-data/',
    `http://127.0.0.1:${canary.port}/`,
    `http://2130706433:${canary.port}/`,
    `http://0x7f.1:${canary.port}/`,
    `http://[::1]:${canary6?.port ?? canary.port}/`,
    `http://[::ffff:127.0.0.1]:${canary.port}/`,
    `//127.0.0.1:${canary.port}/`,
    `http://second.example:${canary.port}/`,
    `http://localhost:${canary.port}/`,
  ];

  it('checks the target of each redirect', async () => {
    const allow = ['trap.example'];
    const read = reader({ 'trap.example': ['127.0.0.1'], 'second.example': ['127.0.0.1'] }, allow);
    for (const target of targets()) {
      const url = `http://trap.example:${trap.port}/?to=${encodeURIComponent(target)}`;
      expect([target, await read(url, signal())]).toEqual([target, { url, unreadable: 'private_address' }]);
    }
  });

  it.each([
    ['file:///etc/passwd', 'unsupported_scheme'],
    ['data:text/html,x', 'unsupported_scheme'],
    ['gopher://example.org/', 'unsupported_scheme'],
    ['http://user:pw@example.org/', 'credentials_in_url'],
    ['http://[bad', 'bad_response'],
  ])('does not follow to %s', async (target, reason) => {
    const read = reader({ 'trap.example': ['127.0.0.1'] }, ['trap.example']);
    const url = `http://trap.example:${trap.port}/?to=${encodeURIComponent(target)}`;
    expect(await read(url, signal())).toEqual({ url, unreadable: reason });
  });

  it('checks where robots.txt is sent as well', async () => {
    const site = await startSite((request, response) => {
      if (request.url === '/robots.txt')
        return redirect(`http://127.0.0.1:${canary.port}/`)(request, response);
      body(article('Page'))(request, response);
    });
    const read = reader({ 'site.example': ['127.0.0.1'] }, ['site.example']);
    expect(await read(`http://site.example:${site.port}/`, signal())).toMatchObject({
      unreadable: 'private_address',
    });
    await site.stop();
  });
});
