import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Child } from './child.ts';
import { connect } from './connect.ts';
import { engineKeeper } from './engine-keeper.ts';
import { homePaths, type HomePaths } from './home.ts';
import { liveLeases } from './leases.ts';
import { tryLock } from './lock.ts';
import { stopOrphans } from './orphans.ts';
import { ownProcess } from './processes.ts';
import { startTemporalServer } from './server.ts';
import { readState, removeState, writeState, type ChildState, type StackState } from './state.ts';
import { tend } from './tend.ts';
import { workerEnv } from './worker-env.ts';
import { startWorker } from './worker-process.ts';

/** The one argument of the supervisor, as JSON. */
export const supervisorOptionsSchema = z.object({
  home: z.string(),
  /** Null: the server at `address` is somebody else's. */
  server: z
    .object({ binary: z.string(), port: z.number().int().optional(), uiPort: z.number().int().optional() })
    .nullable(),
  address: z.string().nullable(),
  worker: z.object({ command: z.string(), args: z.array(z.string()) }),
  workers: z.number().int().positive(),
  /** How long a worker may finish what it holds before it is killed, ms. */
  drainMs: z.number().int().positive(),
});
export type SupervisorOptions = z.infer<typeof supervisorOptionsSchema>;

const SERVER_GRACE_MS = 10_000;

/** What the parts of one supervision share. */
interface Supervision {
  options: SupervisorOptions;
  paths: HomePaths;
  halt: AbortController;
  state: StackState;
  running: Map<string, Child>;
  ready: Set<string>;
  /** One promise per child, settled when that child is gone for good. */
  tended: Promise<void>[];
  publish: (change: Partial<StackState>) => void;
}

const begin = (
  options: SupervisorOptions,
  halt: AbortController,
  previous: StackState | null,
): Supervision => {
  const paths = homePaths(options.home);
  const state: StackState = {
    version: 1,
    supervisor: ownProcess(),
    phase: 'starting',
    address: options.address ?? '',
    uiUrl: null,
    ports: previous?.ports ?? null,
    children: [],
    env: workerEnv(process.env),
    reason: null,
  };
  const publish = (change: Partial<StackState>): void =>
    writeState(paths.state, Object.assign(state, change));
  publish({});
  return { options, paths, halt, state, running: new Map(), ready: new Set(), tended: [], publish };
};

const fail = ({ state, halt }: Supervision, reason: string): void => {
  state.reason ??= reason;
  halt.abort();
};

/** Starts a child and keeps it running until the stack goes down. */
const keepRunning = (
  supervision: Supervision,
  name: string,
  start: (onSpawn: (child: Child) => void) => Promise<Child>,
  onGiveUp: (reason: string) => void = (reason) => fail(supervision, reason),
): Promise<void> => {
  const { state, halt, running, ready, publish } = supervision;
  const others = (): ChildState[] => state.children.filter((child) => child.name !== name);
  const done = tend({
    name,
    start,
    halt: halt.signal,
    onSpawn: (child, restarts) => {
      running.set(name, child);
      publish({ children: [...others(), { name, process: child.process, restarts, log: child.log }] });
      if (halt.signal.aborted) void child.stop(SERVER_GRACE_MS);
    },
    onReady: () => void ready.add(name),
    onGone: () => {
      running.delete(name);
      publish({ children: others() });
    },
    onGiveUp,
  });
  supervision.tended.push(done);
  return done;
};

const untilReady = async ({ ready, halt }: Supervision, names: readonly string[]): Promise<void> => {
  while (!names.every((name) => ready.has(name)) && !halt.signal.aborted) await sleep(25);
};

/** Runs our own server, or makes sure that the other one answers. */
const startServer = async (supervision: Supervision): Promise<void> => {
  const { options, paths, state, publish } = supervision;
  const { server } = options;
  if (!server) {
    return connect(state.address).then(
      (connection) => connection.close(),
      (error: Error) => fail(supervision, error.message),
    );
  }
  void keepRunning(supervision, 'server', async (onSpawn) => {
    const log = join(paths.logs, 'server.log');
    const preferred = state.ports ?? undefined;
    const started = await startTemporalServer({
      ...server,
      dbFile: paths.temporalDb,
      log,
      preferred,
      onSpawn,
    });
    publish({ address: started.address, uiUrl: started.uiUrl, ports: started.ports });
    return started.child;
  });
  await untilReady(supervision, ['server']);
};

const startWorkers = async (supervision: Supervision): Promise<void> => {
  const { options, paths, state } = supervision;
  const env = { ...process.env, WIDESEEK_HOME: options.home };
  const names = Array.from({ length: options.workers }, (_, n) => `worker-${n + 1}`);
  for (const name of names) {
    const log = join(paths.logs, `${name}.log`);
    void keepRunning(supervision, name, (onSpawn) =>
      startWorker({ name, command: options.worker, address: state.address, log, env, onSpawn }),
    );
  }
  await untilReady(supervision, names);
};

/** Resolves when the stack should go down: told to, given up, or wanted by nobody. */
const untilUnwanted = async ({ halt, paths, publish }: Supervision, meanwhile: () => void): Promise<void> => {
  const unwanted = (): boolean => !existsSync(paths.keep) && liveLeases(paths.clients) === 0;
  while (!halt.signal.aborted) {
    await sleep(250, undefined, { signal: halt.signal }).catch(() => undefined);
    if (!halt.signal.aborted) meanwhile();
    if (halt.signal.aborted || !unwanted()) continue;
    // Whoever joins holds this lock while it reads the phase: it sees "ready" and stays counted, or "stopping".
    const lock = tryLock(paths.startLock);
    if (lock && unwanted()) {
      publish({ phase: 'stopping' });
      halt.abort();
    }
    lock?.release();
  }
};

/** Workers first, so that they can finish and report what they hold; then the engine and the server. */
const shutDown = async ({ running, options, tended }: Supervision): Promise<void> => {
  const workers = [...running].filter(([name]) => name !== 'server' && name !== 'engine');
  await Promise.all(workers.map(([, worker]) => worker.stop(options.drainMs)));
  await running.get('engine')?.stop(SERVER_GRACE_MS);
  await running.get('server')?.stop(SERVER_GRACE_MS);
  await Promise.all(tended);
};

/**
 * Runs server and workers until nobody wants them any more, `halt` aborts, or one of them cannot be kept alive.
 * Resolves with null after a clean stop, with the reason after a failure; either way nothing is left running.
 */
export const supervise = async (
  options: SupervisorOptions,
  halt: AbortController,
): Promise<string | null> => {
  const previous = readState(homePaths(options.home).state);
  if (previous) await stopOrphans(previous);
  const supervision = begin(options, halt, previous);
  const { state, publish, paths } = supervision;

  await startServer(supervision);
  if (!halt.signal.aborted) await startWorkers(supervision);
  if (!halt.signal.aborted) publish({ phase: 'ready' });
  const engine = engineKeeper(options.home, (start, onGiveUp) =>
    keepRunning(supervision, 'engine', start, onGiveUp),
  );
  await untilUnwanted(supervision, engine.look);

  publish({ phase: 'stopping' });
  await shutDown(supervision);
  if (state.reason === null) engine.forget();
  if (state.reason === null) removeState(paths.state);
  else publish({ phase: 'failed', children: [] });
  return state.reason;
};
