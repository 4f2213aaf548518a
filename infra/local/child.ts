import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { WideseekError } from '../../domain/errors.ts';
import { identify, ownProcess, stopProcess, type ProcessId } from './processes.ts';

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A process whose output goes to a file. */
export interface Child {
  name: string;
  process: ProcessId;
  log: string;
  startedAtMs: number;
  exited: Promise<Exit>;
  /** What it wrote to its log since this start, the last `lines` lines. */
  lastWords(lines?: number): string;
  /** SIGTERM, then SIGKILL after `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

export interface ChildOptions {
  name: string;
  command: string;
  args: readonly string[];
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  /** Appended to; folders are made. */
  log: string;
  /** Lives on when this process ends, and the terminal's Ctrl-C does not reach it. */
  detached?: boolean;
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** Starts a process. Throws `Internal` when the command cannot be started at all. */
export const startChild = async (options: ChildOptions): Promise<Child> => {
  const { name, command, args, log } = options;
  mkdirSync(dirname(log), { recursive: true });
  const logStart = sizeOf(log);
  const out = openSync(log, 'a');
  const child = spawn(command, args, {
    env: options.env ?? process.env,
    cwd: options.cwd,
    stdio: ['ignore', out, out],
    detached: options.detached ?? false,
  });
  closeSync(out);
  const exited = new Promise<Exit>((resolve) =>
    child.once('exit', (code, signal) => resolve({ code, signal })),
  );
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (cause) =>
      reject(new WideseekError('Internal', `${name}: cannot start ${command}: ${cause.message}`, { cause })),
    );
  });
  if (options.detached) child.unref();
  const pid = child.pid ?? 0;
  // A child that is gone already has no start time; the text then matches no process.
  const id = identify(pid) ?? { pid: pid || ownProcess().pid, startedAt: 'gone' };
  return {
    name,
    process: id,
    log,
    startedAtMs: Date.now(),
    exited,
    lastWords: (lines = 5) =>
      readFileSync(log).subarray(logStart).toString('utf8').trim().split('\n').slice(-lines).join('\n'),
    stop: (graceMs) => stopProcess(id, graceMs),
  };
};

/** `status 1` or `signal SIGKILL`. */
export const describeExit = ({ code, signal }: Exit): string =>
  signal ? `signal ${signal}` : `status ${code ?? 'unknown'}`;
