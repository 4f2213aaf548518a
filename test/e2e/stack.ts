import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { createRetrievalApp, serveRetrieval } from '../../activities/search/http.ts';
import type { SearchProvider } from '../../activities/search/port.ts';
import type { Child } from '../../infra/local/child.ts';
import { findTemporalServer } from '../../infra/local/find-temporal.ts';
import { homePaths, wideseekHome } from '../../infra/local/home.ts';
import { freePort } from '../../infra/local/ports.ts';
import { startTemporalServer } from '../../infra/local/server.ts';
import { startWorker, tsxCommand } from '../../infra/local/worker-process.ts';
import { type FakeOpenAiProcess, spawnFakeOpenAi } from '../support/fake-openai-process.ts';
import { clubSearch } from './world.ts';

/** The real parts as processes: server, worker and model endpoint; the retrieval server runs in this process. */
export interface Stack {
  client: Client;
  address: string;
  endpoint: FakeOpenAiProcess;
  storeFile: string;
  /** What a run needs to use this stack. */
  set: Record<string, string | number>;
  /** SIGKILL, without a chance to tidy up. */
  kill: (what: Part) => void;
  /** Starts what was killed, on the same ports and the same databases; tries again until it runs. */
  revive: (what: Part) => Promise<void>;
  stop: () => Promise<void>;
}
export type Part = 'worker' | 'worker-2' | 'server';

export interface StackOptions {
  /** Default: SQLite in the stack's own folder. */
  storeUrl?: string;
  /** Default: one. */
  workers?: ('worker' | 'worker-2')[];
  /** Module of the fake endpoint's script, and the search that goes with it. Default: the clubs. */
  script?: URL;
  search?: SearchProvider;
}

const STARTS = 5;

export async function startStack({
  storeUrl,
  workers = ['worker'],
  script = new URL('./club-script.ts', import.meta.url),
  search = clubSearch,
}: StackOptions = {}): Promise<Stack> {
  const home = mkdtempSync(join(tmpdir(), 'wideseek-e2e-'));
  const paths = homePaths(home);
  // The encoder's files are shared with the person's own home: nothing here uses it, and a download takes long.
  const artifacts = homePaths(wideseekHome()).artifacts;
  mkdirSync(artifacts, { recursive: true });
  symlinkSync(artifacts, paths.artifacts);

  const found = await findTemporalServer(undefined, { env: { ...process.env, TEMPORAL_ADDRESS: undefined } });
  if (found.kind !== 'binary') throw new Error('no server binary');
  const ports = { port: await freePort(), uiPort: await freePort() };
  const address = `127.0.0.1:${ports.port}`;
  const endpoint = await spawnFakeOpenAi({
    logFile: join(home, 'endpoint.log'),
    script: script.pathname,
  });
  const retrieval = await serveRetrieval(createRetrievalApp(search, { topK: 3 }), {
    port: await freePort(),
  });

  const children = new Map<Part, Child>();
  const startServer = async (): Promise<Child> => {
    const log = join(paths.logs, 'server.log');
    return (await startTemporalServer({ binary: found.path, dbFile: paths.temporalDb, log, ...ports })).child;
  };
  const startNamedWorker = (name: string): Promise<Child> =>
    startWorker({
      name,
      command: tsxCommand('workers/main.ts'),
      address,
      log: join(paths.logs, `${name}.log`),
      env: {
        PATH: process.env.PATH,
        HOME: homedir(),
        WIDESEEK_HOME: home,
        WIDESEEK_MODEL_URL: endpoint.baseUrl,
        WIDESEEK_MODEL: 'clubs',
        ...(storeUrl === undefined ? {} : { WIDESEEK_STORE: storeUrl }),
      },
    });
  const revive = async (what: Part): Promise<void> => {
    await children.get(what)?.exited;
    for (let attempt = 1; ; attempt++) {
      try {
        return void children.set(what, await (what === 'server' ? startServer() : startNamedWorker(what)));
      } catch (error) {
        if (attempt === STARTS) throw error;
        await sleep(200);
      }
    }
  };
  await revive('server');
  for (const worker of workers) await revive(worker);
  const connection = await Connection.connect({ address });
  return {
    client: new Client({ connection }),
    address,
    endpoint,
    storeFile: paths.storeDb,
    set: { 'search.provider': 'server', 'search.url': retrieval.url },
    kill: (what) => void process.kill(children.get(what)!.process.pid, 'SIGKILL'),
    revive,
    stop: async () => {
      await connection.close();
      for (const worker of workers) await children.get(worker)?.stop(15_000);
      await children.get('server')?.stop(5_000);
      await endpoint.stop();
      await retrieval.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
