import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { WideseekError } from '../../domain/errors.ts';
import { openRetrievalSearch } from './http-client.ts';
import { createRetrievalApp, serveRetrieval } from './http.ts';
import type { SearchProvider } from './port.ts';

const provider: SearchProvider = {
  name: 'three-pages',
  search: async (query, topK) => {
    if (query === 'outage') throw new WideseekError('Overloaded', 'the index is away');
    return ['a', 'b', 'c', 'd']
      .slice(0, topK)
      .map((url, i) => ({ url, title: url.toUpperCase(), text: `${query} in ${url}`, score: 1 - i / 10 }));
  },
  access: async (url) =>
    url === 'a' ? { url, title: 'A', text: 'whole page' } : { url, unreadable: 'not_found' },
};
const signal = new AbortController().signal;
const app = createRetrievalApp(provider, { topK: 3 });
const post = async (path: string, body: unknown) => {
  const response = await app.request(path, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as { result: unknown[][]; error: string } };
};

describe('retrieval server', () => {
  it('answers each query in order, with the default count where none or 0 is asked', async () => {
    const { body } = await post('/retrieve', { queries: ['x', 'y'], topk: 0 });
    expect(body.result).toHaveLength(2);
    expect(body.result[0]).toHaveLength(3);
    expect(body.result[1]?.[0]).toEqual({ url: 'a', title: 'A', contents: 'y in a' });
    expect((await post('/retrieve', { queries: ['x'], topk: null })).body.result[0]).toHaveLength(3);
  });

  it('gives scores when asked', async () => {
    const { body } = await post('/retrieve', { queries: ['x'], topk: 1, return_scores: true });
    expect(body.result[0]).toEqual([{ document: { url: 'a', title: 'A', contents: 'x in a' }, score: 1 }]);
  });

  it('gives pages, and null for unknown ones', async () => {
    const { body } = await post('/access', { urls: ['zzz', 'a'] });
    expect(body.result).toEqual([null, { url: 'a', title: 'A', contents: 'whole page' }]);
  });

  it.each([
    ['/retrieve', 'not json', /body: is not JSON/],
    ['/retrieve', { queries: 'x' }, /queries/],
    ['/retrieve', { queries: ['x'], topk: -1 }, /topk/],
    ['/access', {}, /urls/],
  ])('%s refuses %j with 400 and the field', async (path, body, message) => {
    const answer = await post(path, body);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatch(message);
  });

  it('has a health endpoint, and an outage is no empty list', async () => {
    expect(await (await app.request('/health')).json()).toEqual({ status: 'ok', provider: 'three-pages' });
    expect((await post('/retrieve', { queries: ['outage'] })).status).toBe(503);
  });
});

describe('retrieval client', () => {
  const stops: (() => unknown)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });
  const opened = async () => {
    const server = await serveRetrieval(app, { port: 0 });
    stops.push(server.stop);
    return openRetrievalSearch({ baseUrl: `${server.url}/` });
  };
  /** A server that answers everything with one body. */
  const answering = async (status: number, body: string) => {
    const server = createServer((_, response) => response.writeHead(status).end(body)).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    stops.push(() => server.close());
    return openRetrievalSearch({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  };

  it('brings back what the provider behind the server says', async () => {
    const client = await opened();
    expect(await client.search('x', 2, signal)).toEqual(await provider.search('x', 2, signal));
    expect(await client.access('a', signal)).toEqual({ url: 'a', title: 'A', text: 'whole page' });
    expect(await client.access('zzz', signal)).toEqual({ url: 'zzz', unreadable: 'not_found' });
    expect(await client.search(' ', 2, signal)).toEqual([]);
  });

  it('passes an outage on as one', async () => {
    await expect((await opened()).search('outage', 1, signal)).rejects.toMatchObject({ type: 'Overloaded' });
    const away = await openRetrievalSearch({ baseUrl: 'http://127.0.0.1:1' });
    await expect(away.search('x', 1, signal)).rejects.toMatchObject({ type: 'Overloaded' });
  });

  it('takes records without scores and titles from other servers', async () => {
    const client = await answering(
      200,
      JSON.stringify({ result: [[{ id: 7, contents: 'text', url: 'u' }]] }),
    );
    expect(await client.search('x', 3, signal)).toEqual([{ url: 'u', title: '', text: 'text' }]);
  });

  it.each(['<html>busy</html>', '{"result": [[{"url": "u"}]]}', '{"result"'])(
    'calls %j a bad reply',
    async (body) => {
      await expect((await answering(200, body)).search('x', 1, signal)).rejects.toMatchObject({
        type: 'BadReply',
      });
    },
  );

  it('ends with the reason of an abort', async () => {
    const reason = new Error('cancelled by the run');
    await expect((await opened()).search('x', 1, AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  it('says which port is taken', async () => {
    const server = await serveRetrieval(app, { port: 0 });
    stops.push(server.stop);
    const port = Number(new URL(server.url).port);
    await expect(serveRetrieval(app, { port })).rejects.toThrow(`127.0.0.1:${port}`);
  });
});
