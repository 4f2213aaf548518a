import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { Runtime, type RuntimeOptions, type BundlerPlugin, type WorkerPlugin } from '@temporalio/worker';
import type { ChatModel } from '../../activities/model/port.ts';
import type { SearchProvider } from '../../activities/search/port.ts';
import { openStore } from '../../activities/store/open.ts';
import type { Store } from '../../activities/store/port.ts';
import type { ModelConfig } from '../../configs/schema.ts';
import { TASK_QUEUE } from '../../domain/run.ts';
import { findTemporalServer } from '../../infra/local/find-temporal.ts';
import { freePort } from '../../infra/local/ports.ts';
import { startTemporalServer } from '../../infra/local/server.ts';
import { createActivities } from '../../workers/activities.ts';
import { workflowBundle } from '../../workers/bundle.ts';
import { type RunningWorkers, startWorkers } from '../../workers/worker.ts';

const silent = { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error: console.error };
let installed = false;
/** Once per process, before the first server or worker; tests that need telemetry call it first. */
export function installRuntime(options: RuntimeOptions = {}): void {
  if (!installed) Runtime.install({ logger: silent, ...options });
  installed = true;
}

export interface TestServer {
  address: string;
  client: Client;
  stop: () => Promise<void>;
}

/** A real Temporal server of its own, on a database file in a temporary folder. */
export async function startTestServer(): Promise<TestServer> {
  const dir = await mkdtemp(join(tmpdir(), 'wideseek-server-'));
  const found = await findTemporalServer(undefined, { env: { ...process.env, TEMPORAL_ADDRESS: undefined } });
  if (found.kind !== 'binary') throw new Error('no server binary');
  const { path: binary } = found;
  const files = { dbFile: join(dir, 'temporal.db'), log: join(dir, 'server.log') };
  const start = async () =>
    startTemporalServer({ binary, ...files, port: await freePort(), uiPort: await freePort() });
  // Once more, with other ports: another test may have taken one of these meanwhile.
  const server = await start().catch(start);
  const connection = await Connection.connect({ address: server.address });
  return {
    address: server.address,
    client: new Client({ connection }),
    stop: async () => {
      await connection.close();
      await server.child.stop(5_000);
      await rm(dir, { recursive: true, force: true });
    },
  };
}

export interface Engine {
  store: Store;
  workers: RunningWorkers;
  stop: () => Promise<void>;
}

export interface EngineOptions {
  model: ChatModel;
  /** A model per endpoint, in place of `model`. */
  modelOf?: (config: ModelConfig) => ChatModel;
  /** Further task queues that this process serves. */
  queues?: readonly string[];
  judge?: ChatModel;
  /** Summarises pages where a run wants that. */
  summariser?: ChatModel;
  search: SearchProvider;
  /** Puts model and search calls on queues of their own, as paid providers are. */
  remote?: boolean;
  storeUrl?: string;
  maxCachedWorkflows?: number;
  plugins?: (WorkerPlugin & BundlerPlugin)[];
}

/** Workers of this process with the given model and search, on a real server and a real SQLite store. */
export async function startEngine(address: string, options: EngineOptions): Promise<Engine> {
  installRuntime();
  const dir = await mkdtemp(join(tmpdir(), 'wideseek-store-'));
  const store = await openStore(options.storeUrl ?? `sqlite:${join(dir, 'store.db')}`);
  const isLocal = (): boolean => !options.remote;
  const activities = createActivities(store, {
    model: options.modelOf ?? (() => options.model),
    isLocalModel: isLocal,
    search: () => Promise.resolve(options.search),
    isLocalSearch: isLocal,
    judge: () => options.judge ?? null,
    summariser: () =>
      options.summariser
        ? {
            model: options.summariser,
            endpoint: { temperature: 0, timeoutSeconds: 30 },
            queue: options.remote ? 'model' : null,
          }
        : null,
  });
  const queue = { concurrency: 100 };
  const workers = await startWorkers({
    address,
    queues: new Map([
      ['judge', queue],
      [TASK_QUEUE, queue],
      ...(options.queues ?? []).map((name) => [name, queue] as const),
      ...(options.remote
        ? ([
            ['model', queue],
            ['search', queue],
            ['pages', queue],
          ] as const)
        : []),
    ]),
    activities,
    workflowBundle: await workflowBundle(join(tmpdir(), 'wideseek-test-bundles'), options.plugins),
    plugins: options.plugins,
    maxCachedWorkflows: options.maxCachedWorkflows,
  });
  return {
    store,
    workers,
    stop: async () => {
      await workers.stop();
      await store.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
