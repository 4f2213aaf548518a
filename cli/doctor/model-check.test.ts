import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { testIo } from '../testing/test-io.ts';
import { checkModel } from './model-check.ts';

const servers: Server[] = [];
afterEach(() => servers.splice(0).forEach((server) => server.close()));

/** A model server that lists its models for the key `right`. */
const serve = async (): Promise<string> => {
  const server = createServer((request, reply) => {
    const allowed = request.headers.authorization === 'Bearer right';
    reply.writeHead(request.url === '/v1/models' ? (allowed ? 200 : 401) : 404).end('{}');
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};
const check = (env: NodeJS.ProcessEnv) => checkModel(testIo({ env, cwd: '/' }).io);

test('without an endpoint the built-in policy answers', async () => {
  expect(await check({})).toMatchObject({ state: 'ok', detail: 'the built-in extractive policy' });
});

test('an endpoint that answers, refuses the key, has no list, or is not there', async () => {
  const url = await serve();
  expect(await check({ WIDESEEK_MODEL_URL: `${url}/v1/`, WIDESEEK_API_KEY: 'right' })).toMatchObject({
    state: 'ok',
  });
  const refused = await check({ WIDESEEK_MODEL_URL: `${url}/v1`, WIDESEEK_API_KEY: 'wrong-key' });
  expect(refused).toMatchObject({ state: 'fail', hint: 'Check WIDESEEK_API_KEY' });
  expect(JSON.stringify(refused)).not.toContain('wrong-key');
  expect(await check({ WIDESEEK_MODEL_URL: `${url}/other` })).toMatchObject({ state: 'warn' });
  expect(await check({ WIDESEEK_MODEL_URL: 'http://127.0.0.1:1/v1' })).toMatchObject({
    state: 'fail',
    detail: expect.stringContaining('http://127.0.0.1:1 does not answer') as string,
  });
});
