import { execFile, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { SkyrlInstall } from './install.ts';

const here = fileURLToPath(new URL('.', import.meta.url));

export interface SkyrlServer {
  url: string;
  /** Name under which it serves the model. */
  baseModel: string;
  /** The last lines it wrote, for when something went wrong. */
  log(): Promise<string>;
  stop(): Promise<void>;
}

/** Ids of the tiny model's vocabulary; `tiny_model.py` has the same number. */
export const VOCAB = 96;

/** Starts SkyRL's server with its JAX backend on a tiny random model, in a folder that goes with it. */
export async function startSkyrl({ home, bin }: SkyrlInstall): Promise<SkyrlServer> {
  const folder = await mkdtemp(join(home, 'run-'));
  const model = join(folder, 'model');
  await promisify(execFile)(join(bin, 'python'), [join(here, 'tiny_model.py'), model]);
  const port = await freePort();
  const logFile = join(folder, 'server.log');
  const log = createWriteStream(logFile);
  const child = spawn(
    'uv',
    [
      'run',
      '-m',
      'skyrl.tinker.api',
      '--base-model',
      model,
      '--backend',
      'jax',
      '--backend-config',
      JSON.stringify({ max_lora_adapters: 8, max_lora_rank: 32 }),
      '--database-url',
      `sqlite:///${join(folder, 'tinker.db')}`,
      '--checkpoints-base',
      join(folder, 'checkpoints'),
      '--host',
      '127.0.0.1',
      '--port',
      String(port),
    ],
    {
      cwd: home,
      // A group of its own: the server starts the engine as a child, and both must end.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        PATH: `${bin}:${process.env.PATH ?? ''}`,
        PYTHONPATH: join(here, 'stubs'),
        JAX_PLATFORMS: 'cpu',
        HF_HUB_OFFLINE: '1',
      },
    },
  );
  child.stdout.pipe(log);
  child.stderr.pipe(log);
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    url: `http://127.0.0.1:${port}`,
    baseModel: model,
    log: async () => (await readFile(logFile, 'utf8')).split('\n').slice(-60).join('\n'),
    stop: async () => {
      const signal = (name: NodeJS.Signals): void => {
        if (child.pid === undefined || child.exitCode !== null) return;
        process.kill(-child.pid, name);
      };
      signal('SIGTERM');
      const timer = setTimeout(() => signal('SIGKILL'), 15_000);
      await ended;
      clearTimeout(timer);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        typeof address === 'object' && address !== null
          ? resolve(address.port)
          : reject(new Error('no port is free')),
      );
    });
  });
