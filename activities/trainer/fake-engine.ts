import type { AddressInfo } from 'node:net';
import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import { type EngineCapabilities, ENGINES } from '../../domain/rl/engine.ts';
import { createFakeApp } from './fake-engine-app.ts';
import type { FakeApp, FakeState } from './fake-engine-calls.ts';
import { createFaults, type Fault } from './fake-engine-faults.ts';
import { createFutures } from './fake-engine-futures.ts';
import { createLatency, type Latency } from './fake-engine-latency.ts';
import { createModels } from './fake-engine-models.ts';
import type { SampleScript } from './fake-engine-sampling.ts';
import { createCheckpointStore } from './fake-engine-store.ts';
import { createWireEngine, type WireEngineOptions } from './wire/engine.ts';
import type { TrainingEngine } from './port.ts';

export { longTail } from './fake-engine-latency.ts';
export type { Fault } from './fake-engine-faults.ts';
export type { FakeSampleRequest, SampleScript } from './fake-engine-sampling.ts';

export interface FakeEngineOptions {
  /** Default: 64, where the toy policy is an exact bigram model. */
  vocabSize?: number;
  baseModel?: string;
  /** The engine it behaves like: reduction, clip, optimiser. Default: `ENGINES['local-jax']`. */
  capabilities?: EngineCapabilities;
  /** Seed of the base model's weights. */
  seed?: number;
  /** Scripted samples instead of the toy policy's. */
  script?: SampleScript;
  latency?: Latency;
  /** Folder of checkpoints that outlive the engine. Default: in memory. */
  checkpoints?: string;
  /**
   * As SkyRL's JAX backend: sampling an older snapshot damages the training weights. Default: where the capabilities say
   * that several versions cannot be sampled.
   */
  corruptsOffPolicy?: boolean;
  /** Milliseconds for which a future is waited for before 408. */
  longPollMs?: number;
  /** Default: any free port. */
  port?: number;
}

export interface FakeEngine {
  /** Address without `/api/v1`. */
  url: string;
  baseModel: string;
  /** Requests by call, as they arrived, refused ones included. */
  counts(): Record<string, number>;
  /** Work that was really done, by call: what a repeated request does not do twice. */
  done(): Record<string, number>;
  sampledTokens(): number;
  inject(fault: Fault): void;
  /** Injected faults that have not happened. */
  faultsLeft(): Fault[];
  /** Forgets sessions, models and futures and keeps checkpoints, as a restart does. */
  restart(): void;
  /** A client of this engine. */
  client(options?: Partial<WireEngineOptions>): TrainingEngine;
  close(): Promise<void>;
}

/** A training engine for tests and benches: the whole wire over any transport, in this process, deterministic. */
export function createFakeEngine(options: FakeEngineOptions = {}): {
  app: FakeApp;
  state: FakeState;
} {
  const store = createCheckpointStore(options.checkpoints);
  const capabilities = options.capabilities ?? ENGINES['local-jax'];
  const vocabSize = options.vocabSize ?? 64;
  const state: FakeState = {
    baseModel: options.baseModel ?? 'fake-model',
    capabilities,
    vocabSize,
    script: options.script,
    longPollMs: options.longPollMs ?? 30_000,
    store,
    sessions: new Set(),
    models: createModels({
      vocabSize,
      capabilities,
      store,
      seed: options.seed ?? 1,
      corruptsOffPolicy: options.corruptsOffPolicy ?? !capabilities.severalVersions,
    }),
    futures: createFutures(),
    faults: createFaults(),
    wait: createLatency(options.latency ?? {}),
    counts: {},
    done: {},
    sampledTokens: 0,
    newSession: () => `session_${randomUUID().slice(0, 8)}`,
  };
  return { app: createFakeApp(state), state };
}

/** The fake engine behind a real HTTP server on 127.0.0.1. */
export async function startFakeEngine(options: FakeEngineOptions = {}): Promise<FakeEngine> {
  const { app, state } = createFakeEngine(options);
  const { server, port } = await listen(app, options.port ?? 0);
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    baseModel: state.baseModel,
    counts: () => ({ ...state.counts }),
    done: () => ({ ...state.done }),
    sampledTokens: () => state.sampledTokens,
    inject: (fault) => state.faults.inject(fault),
    faultsLeft: () => state.faults.left(),
    restart: () => {
      state.sessions.clear();
      state.models.clear();
      state.futures.clear();
    },
    client: (overrides = {}) =>
      createWireEngine({
        baseUrl: url,
        capabilities: state.capabilities,
        baseModel: state.baseModel,
        vocabSize: state.vocabSize,
        ...overrides,
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Connections that wait to be accepted: a thousand rollouts start at once. */
const BACKLOG = 4_096;
/** A busy event loop must not close connections that a client is about to use again. */
const KEEP_ALIVE_MS = 75_000;

function listen(app: FakeApp, port: number): Promise<{ server: Server; port: number }> {
  return new Promise((resolve, reject) => {
    const server = createAdaptorServer({ fetch: app.fetch }) as Server;
    server.keepAliveTimeout = KEEP_ALIVE_MS;
    server.once('error', reject);
    server.listen({ host: '127.0.0.1', port, backlog: BACKLOG }, () =>
      resolve({ server, port: (server.address() as AddressInfo).port }),
    );
  });
}
