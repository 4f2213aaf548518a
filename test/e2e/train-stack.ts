import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { openStore } from '../../activities/store/open.ts';
import type { Store } from '../../activities/store/port.ts';
import { enginePaths } from '../../infra/local/engine-state.ts';
import type { Child } from '../../infra/local/child.ts';
import { findTemporalServer } from '../../infra/local/find-temporal.ts';
import { homePaths, wideseekHome } from '../../infra/local/home.ts';
import { freePort } from '../../infra/local/ports.ts';
import { startTemporalServer } from '../../infra/local/server.ts';
import { startWorker, tsxCommand } from '../../infra/local/worker-process.ts';
import { startJaxEngine } from './jax-engine.ts';

type Host = 'a' | 'b';
/** `trainer-a` and `engine-a` are the host a; `all-a` also does the rollouts. */
type WorkerPart = `rollouts-${1 | 2}` | `trainer-${Host}` | 'all-a';
export type TrainPart = 'server' | `engine-${Host}` | WorkerPart;

/** Everything that a training needs, each part a process of its own; the engines share a folder of checkpoints. */
export interface TrainStack {
  client: Client;
  store: Store;
  checkpoints: string;
  engineUrl: (host: Host) => string;
  /** SIGKILL, without a chance to tidy up. */
  kill: (part: TrainPart) => void;
  /** Starts a part on its own port and the databases that were there; tries again until it runs. */
  start: (part: TrainPart) => Promise<void>;
  /** The last lines of every part's log. */
  words: () => string;
  stop: () => Promise<void>;
}

const STARTS = 5;

export async function startTrainStack(parts: readonly TrainPart[], models: string): Promise<TrainStack> {
  const home = mkdtempSync(join(tmpdir(), 'wideseek-train-e2e-'));
  const paths = homePaths(home);
  // The encoder's files are shared with the person's own home: nothing here uses it, and a download takes long.
  const artifacts = homePaths(wideseekHome()).artifacts;
  // Bundled workflows, by the hash of their sources.
  const bundles = join(tmpdir(), 'wideseek-test-bundles');
  for (const [shared, own] of [
    [artifacts, paths.artifacts],
    [bundles, join(home, 'cache')],
  ] as const) {
    mkdirSync(shared, { recursive: true });
    symlinkSync(shared, own);
  }
  const found = await findTemporalServer(undefined, { env: { ...process.env, TEMPORAL_ADDRESS: undefined } });
  if (found.kind !== 'binary') throw new Error('no server binary');
  const ports = { port: await freePort(), uiPort: await freePort() };
  const address = `127.0.0.1:${ports.port}`;
  const enginePorts = { a: await freePort(), b: await freePort() };
  const engineUrl = (host: Host): string => `http://127.0.0.1:${enginePorts[host]}`;
  const { checkpoints } = enginePaths(home);
  const children = new Map<TrainPart, Child>();

  const begin = async (part: TrainPart): Promise<Child> => {
    const log = join(paths.logs, `${part}.log`);
    if (part === 'server')
      return (await startTemporalServer({ binary: found.path, dbFile: paths.temporalDb, log, ...ports }))
        .child;
    const host = part.endsWith('-b') ? 'b' : 'a';
    if (part.startsWith('engine'))
      return startJaxEngine({ port: enginePorts[host], models, checkpoints, log });
    const trains = !part.startsWith('rollouts');
    const queues = { rollouts: 'wideseek', trainer: 'train', all: 'wideseek,train' };
    return startWorker({
      name: part,
      command: tsxCommand('workers/main.ts'),
      address,
      log,
      // Nobody tends it here, and on a starved machine a worker may be slow for minutes.
      hung: { everyMs: 60_000, patienceMs: Infinity, graceMs: 0 },
      env: {
        PATH: process.env.PATH,
        HOME: homedir(),
        WIDESEEK_HOME: home,
        WIDESEEK_QUEUES: queues[part.split('-')[0] as keyof typeof queues],
        ...(trains ? { WIDESEEK_ENGINE_URL: engineUrl(host), WIDESEEK_TRAINER_HOST: `host-${host}` } : {}),
      },
    });
  };
  const start = async (part: TrainPart): Promise<void> => {
    await children.get(part)?.exited;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return void children.set(part, await begin(part));
      } catch (error) {
        if (attempt === STARTS) throw error;
        await sleep(200);
      }
    }
  };
  await start('server');
  await Promise.all(parts.filter((part) => part !== 'server').map(start));
  const connection = await Connection.connect({ address });
  const store = await openStore(`sqlite:${paths.storeDb}`);
  return {
    client: new Client({ connection }),
    ...{ store, checkpoints, engineUrl, start },
    kill: (part) => void process.kill(children.get(part)!.process.pid, 'SIGKILL'),
    words: () => [...children].map(([part, child]) => `--- ${part}\n${child.lastWords(15)}`).join('\n'),
    stop: async () => {
      await connection.close();
      await store.close();
      for (const [part, child] of children) if (part !== 'server') await child.stop(0);
      await children.get('server')?.stop(0);
      rmSync(home, { recursive: true, force: true });
    },
  };
}
