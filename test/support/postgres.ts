import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** A Postgres server of our own, on loopback, with a password, in a temporary folder. */
export interface TestPostgres {
  /** URL of the database `postgres`, password included. */
  url: string;
  password: string;
  /** Creates an empty database and returns its URL. */
  createDatabase(name: string): Promise<string>;
  /** Stops the server at once, as an outage would; the data stays. */
  halt(): Promise<void>;
  /** Stops the server and deletes its folder. */
  stop(): Promise<void>;
}

const START_DEADLINE_MS = 60_000;
const DEBIAN = '/usr/lib/postgresql';

/** Where the server's programs are, or why there are none: `skipIf(reason)` shows it. */
export const findPostgres = (): { bin: string; reason?: undefined } | { bin?: undefined; reason: string } => {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(DEBIAN, version, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
  ];
  const bin = folders.find((folder) =>
    ['initdb', 'postgres'].every((program) => existsSync(join(folder, program))),
  );
  return bin === undefined
    ? { reason: `no Postgres server programs in ${DEBIAN}/*/bin or on PATH` }
    : { bin };
};

/** Postgres refuses to run as root; its own account, or nobody, runs it then. */
const account = (): { uid?: number; gid?: number } => {
  if (process.getuid?.() !== 0) return {};
  const idOf = (flag: string): number | undefined =>
    ['postgres', 'nobody']
      .map((name) => spawnSync('id', [flag, name], { encoding: 'utf8' }))
      .filter((answer) => answer.status === 0)
      .map((answer) => Number(answer.stdout))[0];
  return { uid: idOf('-u'), gid: idOf('-g') };
};

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });

const query = async (url: string, text: string): Promise<void> => {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query(text);
  } finally {
    await client.end().catch(() => undefined);
  }
};

const untilReady = async (url: string, server: ChildProcess, log: () => string): Promise<void> => {
  const giveUpAt = Date.now() + START_DEADLINE_MS;
  for (;;) {
    if (server.exitCode !== null) throw new Error(`postgres ended with ${server.exitCode}: ${log()}`);
    try {
      return await query(url, 'select 1');
    } catch (error) {
      if (Date.now() > giveUpAt) throw new Error(`postgres is not ready: ${log()}`, { cause: error });
      await sleep(50);
    }
  }
};

/**
 * Starts a private Postgres; takes about two seconds. `settings` go to the server as `-c name=value`.
 * Throws where `findPostgres` found no programs.
 */
export const startPostgres = async (settings: Record<string, string> = {}): Promise<TestPostgres> => {
  const { bin, reason } = findPostgres();
  if (bin === undefined) throw new Error(reason);
  const who = account();
  const folder = mkdtempSync(join(tmpdir(), 'wideseek-pg-'));
  const data = join(folder, 'data');
  const passwordFile = join(folder, 'password');
  const password = randomBytes(12).toString('hex');
  writeFileSync(passwordFile, password);
  mkdirSync(data);
  if (who.uid !== undefined && who.gid !== undefined)
    for (const path of [folder, passwordFile, data]) chownSync(path, who.uid, who.gid);

  const options = [
    '-U',
    'wideseek',
    '-A',
    'scram-sha-256',
    `--pwfile=${passwordFile}`,
    '-E',
    'UTF8',
    '--no-sync',
  ];
  execFileSync(join(bin, 'initdb'), ['-D', data, ...options], { ...who, stdio: 'pipe', cwd: folder });
  const port = await freePort();
  const flags = Object.entries({ listen_addresses: '127.0.0.1', ...settings }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  const server = spawn(join(bin, 'postgres'), ['-D', data, '-k', folder, '-p', String(port), ...flags], {
    ...who,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  server.stderr.setEncoding('utf8').on('data', (text: string) => (log = (log + text).slice(-4000)));
  const exited = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  // A test process that dies must not leave a server behind.
  const killServer = (): void => void server.kill('SIGQUIT');
  process.once('exit', killServer);

  const halt = async (): Promise<void> => {
    if (server.exitCode === null) server.kill('SIGQUIT');
    await exited;
  };
  const stop = async (): Promise<void> => {
    await halt();
    process.off('exit', killServer);
    rmSync(folder, { recursive: true, force: true });
  };
  const urlOf = (database: string): string => `postgres://wideseek:${password}@127.0.0.1:${port}/${database}`;

  try {
    await untilReady(urlOf('postgres'), server, () => log);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url: urlOf('postgres'),
    password,
    createDatabase: async (name) => {
      await query(urlOf('postgres'), `create database "${name}"`);
      return urlOf(name);
    },
    halt,
    stop,
  };
};
