import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Child } from './child.ts';
import { connect } from './connect.ts';
import { homePaths } from './home.ts';
import { liveLeases } from './leases.ts';
import { tryLock } from './lock.ts';
import { stopOrphans } from './orphans.ts';
import { ownProcess } from './processes.ts';
import { startTemporalServer } from './server.ts';
import { readState, removeState, writeState, type ChildState, type StackState } from './state.ts';
import { tend } from './tend.ts';
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

/**
 * Runs server and workers until nobody wants them any more, `halt` aborts, or one of them cannot be kept alive.
 * Resolves with null after a clean stop, with the reason after a failure; either way nothing is left running.
 */
export const supervise = async (
  options: SupervisorOptions,
  halt: AbortController,
): Promise<string | null> => {
  const paths = homePaths(options.home);
  const previous = readState(paths.state);
  if (previous) await stopOrphans(previous);

  const state: StackState = {
    version: 1,
    supervisor: ownProcess(),
    phase: 'starting',
    address: options.address ?? '',
    uiUrl: null,
    ports: previous?.ports ?? null,
    children: [],
    reason: null,
  };
  const publish = (change: Partial<StackState>): void =>
    writeState(paths.state, Object.assign(state, change));
  publish({});

  const running = new Map<string, Child>();
  const ready = new Set<string>();
  const fail = (reason: string): void => {
    state.reason ??= reason;
    halt.abort();
  };

  const keepRunning = (
    name: string,
    start: (onSpawn: (child: Child) => void) => Promise<Child>,
  ): Promise<void> => {
    const others = (): ChildState[] => state.children.filter((child) => child.name !== name);
    return tend({
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
      onGiveUp: fail,
    });
  };
  const until = async (condition: () => boolean): Promise<void> => {
    while (!condition() && !halt.signal.aborted) await sleep(25);
  };

  const tended: Promise<void>[] = [];
  const { server } = options;
  if (server) {
    const startServer = async (onSpawn: (child: Child) => void): Promise<Child> => {
      const started = await startTemporalServer({
        ...server,
        dbFile: paths.temporalDb,
        log: join(paths.logs, 'server.log'),
        preferred: state.ports ?? undefined,
        onSpawn,
      });
      publish({ address: started.address, uiUrl: started.uiUrl, ports: started.ports });
      return started.child;
    };
    tended.push(keepRunning('server', startServer));
    await until(() => ready.has('server'));
  } else {
    await connect(state.address).then(
      (connection) => connection.close(),
      (error: Error) => fail(error.message),
    );
  }
  const names = Array.from({ length: options.workers }, (_, n) => `worker-${n + 1}`);
  if (!halt.signal.aborted) {
    for (const name of names) {
      const log = join(paths.logs, `${name}.log`);
      const env = { ...process.env, WIDESEEK_HOME: options.home };
      tended.push(
        keepRunning(name, (onSpawn) =>
          startWorker({ name, command: options.worker, address: state.address, log, env, onSpawn }),
        ),
      );
    }
    await until(() => names.every((name) => ready.has(name)));
  }
  if (!halt.signal.aborted) publish({ phase: 'ready' });

  const unwanted = (): boolean => !existsSync(paths.keep) && liveLeases(paths.clients) === 0;
  while (!halt.signal.aborted) {
    await sleep(250, undefined, { signal: halt.signal }).catch(() => undefined);
    if (!unwanted()) continue;
    // Whoever joins holds this lock while it reads the phase: it sees "ready" and stays counted, or "stopping".
    const lock = tryLock(paths.startLock);
    if (lock && unwanted()) {
      publish({ phase: 'stopping' });
      halt.abort();
    }
    lock?.release();
  }

  publish({ phase: 'stopping' });
  await Promise.all(
    [...running].filter(([name]) => name !== 'server').map(([, worker]) => worker.stop(options.drainMs)),
  );
  await running.get('server')?.stop(SERVER_GRACE_MS);
  await Promise.all(tended);
  if (state.reason === null) removeState(paths.state);
  else publish({ phase: 'failed', children: [] });
  return state.reason;
};
