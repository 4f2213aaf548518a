import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WideseekError } from '../../domain/errors.ts';
import { findTemporalServer } from './artifacts.ts';
import { startChild } from './child.ts';
import { homePaths, packageRoot, wideseekHome, type HomePaths } from './home.ts';
import { addLease, liveLeases } from './leases.ts';
import { acquireLock } from './lock.ts';
import { stopOrphans } from './orphans.ts';
import { choosePort } from './ports.ts';
import { isAlive, signalProcess, waitForExit, type ProcessId } from './processes.ts';
import { readState, removeState, type StackState } from './state.ts';
import type { SupervisorOptions } from './supervise.ts';
import { changedEnv } from './worker-env.ts';
import { tsxCommand, type Command } from './worker-process.ts';

export interface StackOptions {
  /** Default: `WIDESEEK_HOME`, else `~/.wideseek`. */
  home?: string;
  env?: NodeJS.ProcessEnv;
  /** The stack outlives its clients until `stopStack`. */
  keep?: boolean;
  /** Ports of the Temporal server; left out, free ones are found. */
  port?: number;
  uiPort?: number;
  workers?: number;
  /** Default: this project's worker. */
  worker?: Command;
  /** How long a start may take, ms. A first start downloads the server. */
  timeoutMs?: number;
  /** Lines about a start that takes its time. */
  onStatus?: (line: string) => void;
}

export interface StackHandle {
  address: string;
  /** Null where the server is not ours. */
  uiUrl: string | null;
  startedByUs: boolean;
  /** The stack stays up when its last client is gone. */
  keep(): void;
  /** Takes this client's wish back; when nobody else wants the stack, waits until it is down. */
  release(): Promise<void>;
}

const WORKER_DRAIN_MS = 20_000;
const STOP_MS = WORKER_DRAIN_MS + 20_000;

/** The state of a stack whose supervisor lives; null otherwise. */
export const runningStack = (home: string): StackState | null => {
  const state = readState(homePaths(home).state);
  return state && isAlive(state.supervisor) ? state : null;
};

const supervisorOptions = async (home: string, options: StackOptions): Promise<SupervisorOptions> => {
  const found = await findTemporalServer(options.onStatus, {
    env: options.env,
    home: options.env?.WIDESEEK_HOME,
  });
  const { port, uiPort } = options;
  if (found.kind === 'binary') {
    // Checked here so that the person who named the port reads the message; the supervisor only logs.
    if (port !== undefined) await choosePort('port', port, port);
    if (uiPort !== undefined) await choosePort('ui-port', uiPort, uiPort);
  }
  return {
    home,
    server: found.kind === 'binary' ? { binary: found.path, port, uiPort } : null,
    address: found.kind === 'address' ? found.address : null,
    worker: options.worker ?? tsxCommand('workers/main.ts'),
    workers: options.workers ?? 1,
    drainMs: WORKER_DRAIN_MS,
  };
};

/** Starts the supervisor and waits until it has said on disk that it is there. */
const startSupervisor = async (home: string, options: StackOptions): Promise<ProcessId> => {
  const paths = homePaths(home);
  const spec = await supervisorOptions(home, options);
  options.onStatus?.(spec.server ? 'Starting the Temporal server and a worker …' : 'Starting a worker …');
  const child = await startChild({
    name: 'supervisor',
    ...tsxCommand('infra/local/supervisor.ts', [JSON.stringify(spec)]),
    cwd: packageRoot,
    env: options.env,
    log: join(paths.logs, 'supervisor.log'),
    detached: true,
  });
  while (readState(paths.state)?.supervisor.pid !== child.process.pid) {
    if (!isAlive(child.process)) {
      throw new WideseekError('Internal', `the supervisor did not start: ${child.lastWords(3)}`, {
        hint: `Its log is ${child.log}`,
      });
    }
    await sleep(30);
  }
  return child.process;
};

/** The supervisor that serves this home, started when there is none. Only one process decides at a time. */
const findOrStart = async (
  home: string,
  options: StackOptions,
  deadline: number,
): Promise<{ supervisor: ProcessId; started: boolean }> => {
  const paths = homePaths(home);
  for (;;) {
    const lock = await acquireLock(paths.startLock, Math.max(0, deadline - Date.now()));
    if (!lock)
      throw new WideseekError('Timeout', `another process holds ${paths.startLock} and does not finish`);
    try {
      const state = runningStack(home);
      if (!state) return { supervisor: await startSupervisor(home, options), started: true };
      if (state.phase !== 'stopping' && state.phase !== 'failed') {
        return { supervisor: state.supervisor, started: false };
      }
    } finally {
      lock.release();
    }
    await sleep(100); // on its way down: wait, then start anew
  }
};

const untilReady = async (home: string, supervisor: ProcessId, deadline: number): Promise<StackState> => {
  const paths = homePaths(home);
  for (;;) {
    const state = readState(paths.state);
    const ours = state?.supervisor.pid === supervisor.pid;
    if (state && ours && state.phase === 'ready') return state;
    if (state && ours && state.phase === 'failed') {
      throw new WideseekError(
        'Overloaded',
        `the local stack does not run: ${state.reason ?? 'unknown reason'}`,
        {
          hint: `Logs are in ${paths.logs}`,
        },
      );
    }
    if (!isAlive(supervisor) && readState(paths.state)?.phase !== 'failed') {
      throw new WideseekError('Overloaded', 'the local stack went down while it started', {
        hint: `Logs are in ${paths.logs}`,
      });
    }
    if (Date.now() > deadline) {
      throw new WideseekError('Timeout', 'the local stack was not ready in time', {
        hint: `Logs are in ${paths.logs}`,
      });
    }
    await sleep(50);
  }
};

const mustMatch = (state: StackState, env: NodeJS.ProcessEnv): void => {
  const wanted = env.TEMPORAL_ADDRESS;
  if (!wanted || wanted === state.address) return;
  throw new WideseekError(
    'InvalidInput',
    `TEMPORAL_ADDRESS: is ${wanted}, but the stack that runs uses ${state.address}`,
    { hint: 'Run `wideseek down` first, or set WIDESEEK_HOME to another folder' },
  );
};

const stayUp = (paths: HomePaths): void => writeFileSync(paths.keep, '');

/** Waits for a stack that nobody wants to be down, and cleans up where its supervisor was killed. */
const settle = async (home: string): Promise<void> => {
  const paths = homePaths(home);
  if (existsSync(paths.keep) || liveLeases(paths.clients) > 0) return;
  const state = readState(paths.state);
  if (!state) return;
  if (isAlive(state.supervisor)) return void (await waitForExit(state.supervisor, STOP_MS));
  const lock = await acquireLock(paths.startLock, 1_000);
  if (!lock) return; // somebody starts it again at this moment
  try {
    if (runningStack(home) || liveLeases(paths.clients) > 0) return;
    await stopOrphans(state, WORKER_DRAIN_MS);
    if (state.phase !== 'failed') removeState(paths.state);
  } finally {
    lock.release();
  }
};

/**
 * Makes sure that a Temporal server and a worker run for this home, and counts this process among those who want
 * them. The first caller starts a detached supervisor; others join it. With `TEMPORAL_ADDRESS` set only a worker
 * is started. Throws `InvalidInput` for a taken port or another address, `NotFound` without a server program,
 * `Overloaded` with the reason when server or worker cannot be kept alive, `Timeout`.
 */
export const ensureStack = async (options: StackOptions = {}): Promise<StackHandle> => {
  const env = options.env ?? process.env;
  const home = options.home ?? wideseekHome(env);
  const paths = homePaths(home);
  mkdirSync(home, { recursive: true });
  const dropLease = addLease(paths.clients);
  const release = async (): Promise<void> => {
    dropLease();
    await settle(home);
  };
  try {
    if (options.keep) stayUp(paths);
    const deadline = Date.now() + (options.timeoutMs ?? 300_000);
    const { supervisor, started } = await findOrStart(home, { ...options, env }, deadline);
    const state = await untilReady(home, supervisor, deadline);
    mustMatch(state, env);
    const changed = started ? [] : changedEnv(state.env, env);
    if (changed.length > 0) {
      const names = changed.join(', ');
      options.onStatus?.(
        `! The running worker has other values of ${names}; \`wideseek down\` first to use yours.`,
      );
    }
    return {
      address: state.address,
      uiUrl: state.uiUrl,
      startedByUs: started,
      keep: () => stayUp(paths),
      release,
    };
  } catch (error) {
    if (options.keep && !runningStack(home)) rmSync(paths.keep, { force: true });
    await release();
    throw error;
  }
};

/** Stops the stack: workers drain, then the server. True when there was something to stop. */
export const stopStack = async (home: string): Promise<boolean> => {
  const paths = homePaths(home);
  rmSync(paths.keep, { force: true });
  const state = readState(paths.state);
  if (!state) return false;
  const wasRunning = isAlive(state.supervisor) || state.children.some(({ process }) => isAlive(process));
  signalProcess(state.supervisor, 'SIGTERM');
  if (!(await waitForExit(state.supervisor, STOP_MS))) signalProcess(state.supervisor, 'SIGKILL');
  await stopOrphans(readState(paths.state) ?? state);
  removeState(paths.state);
  return wasRunning;
};
