import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Child } from './child.ts';
import { connect } from './connect.ts';
import { freePort } from './ports.ts';
import { isAlive } from './processes.ts';
import { missingSearchAttributes } from './search-attributes.ts';
import { startTemporalServer, type TemporalServer } from './server.ts';
import { temporalBinary } from './testing/sandbox.ts';

let binary: string;
let folder: string;
beforeAll(async () => {
  binary = await temporalBinary();
  folder = mkdtempSync(join(tmpdir(), 'wideseek-server-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const running: TemporalServer[] = [];
const busy: Server[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map(({ child }) => child.stop(5_000)));
  busy.splice(0).forEach((server) => server.close());
});

const start = async (
  db: string,
  options: { port?: number; preferred?: { grpc: number; ui: number } } = {},
) => {
  const server = await startTemporalServer({
    binary,
    dbFile: join(folder, db),
    log: join(folder, `${db}.log`),
    ...options,
  });
  running.push(server);
  return server;
};

const occupy = async (): Promise<number> => {
  const port = await freePort();
  const server = createServer().listen(port, '127.0.0.1');
  busy.push(server);
  await new Promise((resolve) => server.once('listening', resolve));
  return port;
};

test('two servers side by side answer on ports of their own, with every search attribute', async () => {
  const preferred = { grpc: await freePort(), ui: await freePort() };
  const [first, second] = [await start('a.db', { preferred }), await start('b.db', { preferred })];
  expect(first.address).not.toBe(second.address);
  for (const { address } of [first, second]) {
    const connection = await connect(address);
    expect(await missingSearchAttributes(connection, 'default')).toEqual([]);
    await connection.close();
  }
  expect((await fetch(second.uiUrl)).status).toBe(200);
});

test('a preferred port that is taken gives way; one that was asked for is an error that names it', async () => {
  const taken = await occupy();
  const server = await start('c.db', { preferred: { grpc: taken, ui: taken } });
  expect(server.ports.grpc).not.toBe(taken);
  await expect(start('d.db', { port: taken })).rejects.toThrow(
    new RegExp(`^port: port ${taken} on 127.0.0.1 is in use\\. Stop what listens there`),
  );
});

test('a server that dies at once is reported with its own words, and nothing is left', async () => {
  const spawned: Child[] = [];
  const attempt = startTemporalServer({
    binary,
    dbFile: join(folder, 'no', 'such', 'folder.db'),
    log: join(folder, 'e.log'),
    onSpawn: (child) => spawned.push(child),
  });
  await expect(attempt).rejects.toThrow(/the Temporal server ended with status 1: .*(\n|.)*Its log is/);
  expect(spawned.map((child) => isAlive(child.process))).toEqual([false]);
});
