import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  calls,
  empty,
  type FakeOpenAi,
  type FakeOptions,
  html,
  rateLimited,
  type Script,
  startFakeOpenAi,
  text,
} from './fake-openai.ts';
import { spawnFakeOpenAi } from './fake-openai-process.ts';

const open: FakeOpenAi[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});
const start = async (script: Script, options?: FakeOptions): Promise<FakeOpenAi> => {
  const server = await startFakeOpenAi(script, options);
  open.push(server);
  return server;
};
const ask = (server: { baseUrl: string }, content: string, signal?: AbortSignal): Promise<Response> =>
  fetch(`${server.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer test', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'fake', messages: [{ role: 'user', content }] }),
    signal,
  });

describe('startFakeOpenAi', () => {
  it('follows a queue and remembers what it was asked', async () => {
    const server = await start([
      text('hello'),
      calls({ name: 'search', arguments: { query: 'x' } }),
      rateLimited('2'),
      html(),
      empty('choices'),
    ]);
    const first: unknown = await (await ask(server, 'a')).json();
    expect(first).toMatchObject({ choices: [{ message: { content: 'hello' }, finish_reason: 'stop' }] });
    const second: unknown = await (await ask(server, 'b')).json();
    expect(second).toMatchObject({
      choices: [
        {
          finish_reason: 'tool_calls',
          message: {
            tool_calls: [{ id: 'call_1_0', function: { name: 'search', arguments: '{"query":"x"}' } }],
          },
        },
      ],
    });
    const third = await ask(server, 'c');
    expect([third.status, third.headers.get('retry-after')]).toEqual([429, '2']);
    expect(await (await ask(server, 'd')).text()).toContain('<html>');
    expect(await (await ask(server, 'e')).json()).toMatchObject({ choices: [] });
    expect(server.requests.map((request) => request.answered)).toEqual([200, 200, 429, 200, 200]);
    expect(server.requests[0]).toMatchObject({ authorization: 'Bearer test', body: { model: 'fake' } });
    expect(server.problems).toEqual([]);
  });

  it('complains when the queue runs out', async () => {
    const server = await start([]);
    const response = await ask(server, 'a');
    expect(response.status).toBe(400);
    expect(server.problems).toHaveLength(1);
    expect(await response.text()).toContain('this is request 1');
  });

  it('complains about a body that is no chat completion', async () => {
    const server = await start(() => text('x'));
    const response = await fetch(`${server.baseUrl}/chat/completions`, { method: 'POST', body: '{"a":1}' });
    expect(response.status).toBe(400);
    expect(server.problems[0]).toContain('not a chat completion');
    expect((await fetch(`${server.baseUrl}/nothing`)).status).toBe(404);
  });

  it('can be a function of the request and its number', async () => {
    const server = await start((request, n) => text(`${n}: ${request.messages.at(-1)?.content}`));
    await ask(server, 'a');
    expect(await (await ask(server, 'b')).json()).toMatchObject({
      choices: [{ message: { content: '1: b' } }],
    });
  });

  it('finds repeated calls, but only those that were answered with success', async () => {
    const server = await start([rateLimited(), text('x'), text('y'), text('z')]);
    for (const content of ['a', 'a', 'b']) await ask(server, content);
    expect(server.repeated()).toEqual([]);
    await ask(server, 'b');
    expect(server.repeated()).toEqual([server.requests[2]?.key]);
  });

  it('stalls, resets, cuts and truncates', async () => {
    const server = await start([
      { kind: 'stall' },
      { kind: 'reset' },
      { kind: 'cut' },
      { kind: 'truncated' },
    ]);
    await expect(ask(server, 'a', AbortSignal.timeout(100))).rejects.toThrow(/timeout/);
    await expect(ask(server, 'b')).rejects.toThrow('fetch failed');
    const half = await ask(server, 'c');
    await expect(half.text()).rejects.toThrow('terminated');
    await expect((await ask(server, 'd')).json()).rejects.toThrow(SyntaxError);
    expect(server.requests.map((request) => request.answered)).toEqual([null, null, null, 200]);
  });

  it('sends slow bodies and waits its latency', async () => {
    const server = await start([{ kind: 'reply', content: 'slow', chunkMs: 20 }], { latencyMs: 50 });
    const before = performance.now();
    const response = await ask(server, 'a');
    const headers = performance.now() - before;
    expect(await response.json()).toMatchObject({ choices: [{ message: { content: 'slow' } }] });
    expect(headers).toBeGreaterThan(45);
    expect(performance.now() - before - headers).toBeGreaterThan(120);
  });
});

describe('spawnFakeOpenAi', () => {
  it('serves from another process and logs requests that survive it', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'fake-openai-'));
    const script = path.join(folder, 'script.mjs');
    writeFileSync(
      script,
      `export default (request, n) => ({ kind: 'reply', content: 'n=' + n });
`,
    );
    const server = await spawnFakeOpenAi({ logFile: path.join(folder, 'log.jsonl'), script });
    const bodies: unknown[] = [];
    for (const content of ['a', 'b', 'a']) bodies.push(await (await ask(server, content)).json());
    expect(bodies[1]).toMatchObject({ choices: [{ message: { content: 'n=1' } }] });
    // A reply reaches its reader before the server has written that it was sent.
    await vi.waitFor(() => expect(server.log().filter(({ event }) => event === 'answered')).toHaveLength(3), {
      timeout: 20_000,
    });
    await server.stop('SIGKILL');
    const lines = server.log();
    expect(lines.filter((line) => line.event === 'received').map((line) => line.n)).toEqual([0, 1, 2]);
    expect(server.repeated()).toEqual([lines.find((line) => line.n === 0)?.key]);
  });

  it('says why it did not start', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'fake-openai-'));
    await expect(
      spawnFakeOpenAi({ logFile: path.join(folder, 'log.jsonl'), script: path.join(folder, 'none.mjs') }),
    ).rejects.toThrow(/before it listened[^]*none\.mjs/);
  });
});
