import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WideseekError } from '../../domain/errors.ts';
import { describeExit, startChild, type Child, type Exit } from './child.ts';
import { packageRoot } from './home.ts';
import { type HungRules, stopWhenHung } from './hung.ts';
import { freePort } from './ports.ts';
import { EXIT_CONFIG } from './restarts.ts';

/** A program and its arguments. */
export interface Command {
  command: string;
  args: string[];
}

/** How this project runs one of its TypeScript files, whatever the current folder is. */
export const tsxCommand = (file: string, args: readonly string[] = []): Command => ({
  command: process.execPath,
  args: ['--import', import.meta.resolve('tsx'), join(packageRoot, file), ...args],
});

export interface WorkerOptions {
  name: string;
  command: Command;
  address: string;
  log: string;
  env: NodeJS.ProcessEnv;
  /** How long the worker may take to answer 200 on `/ready`, ms. */
  timeoutMs?: number;
  /** When a worker that lives but is not ready is stopped. */
  hung?: HungRules;
  /** Told as soon as the process runs, long before it is ready. */
  onSpawn?: (child: Child) => void;
}

const isReady = async (healthPort: number): Promise<boolean> => {
  try {
    const reply = await fetch(`http://127.0.0.1:${healthPort}/ready`, { signal: AbortSignal.timeout(2_000) });
    return reply.status === 200;
  } catch {
    return false;
  }
};

/** A worker that died before it was ready; status 78 says that its configuration is wrong. */
const deathError = (name: string, child: Child, exit: Exit): WideseekError =>
  new WideseekError(
    exit.code === EXIT_CONFIG ? 'ConfigError' : 'Internal',
    exit.code === EXIT_CONFIG
      ? child.lastWords(3)
      : `${name} ended with ${describeExit(exit)}: ${child.lastWords(3)}`,
    { hint: `Its log is ${child.log}` },
  );

const untilReady = async (child: Child, healthPort: number, timeoutMs: number): Promise<void> => {
  let exit: Exit | undefined;
  void child.exited.then((end) => (exit = end));
  for (const end = Date.now() + timeoutMs; !(await isReady(healthPort)); await sleep(100)) {
    if (exit) throw deathError(child.name, child, exit);
    if (Date.now() > end) {
      throw new WideseekError('Timeout', `${child.name} was not ready in time`, {
        hint: `Its log is ${child.log}`,
      });
    }
  }
};

/**
 * Starts a worker process, waits until it serves its queues, and stops it when it hangs later. Throws `ConfigError` when it ends with status 78,
 * `Internal` when it dies otherwise, `Timeout` when it never answers 200 on `/ready`.
 */
export const startWorker = async (options: WorkerOptions): Promise<Child> => {
  const { name, address, log, timeoutMs = 120_000 } = options;
  const healthPort = await freePort();
  const child = await startChild({
    name,
    ...options.command,
    cwd: packageRoot,
    env: { ...options.env, TEMPORAL_ADDRESS: address, WIDESEEK_HEALTH_PORT: String(healthPort) },
    log,
  });
  options.onSpawn?.(child);
  try {
    await untilReady(child, healthPort, timeoutMs);
    void stopWhenHung(child, () => isReady(healthPort), options.hung);
    return child;
  } catch (error) {
    await child.stop(2_000);
    throw error;
  }
};
