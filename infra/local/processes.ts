import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

/** One process for ever: a pid alone is used again by the system, a pid with its start time is not. */
export const processIdSchema = z.object({ pid: z.number().int().positive(), startedAt: z.string() });
export type ProcessId = z.infer<typeof processIdSchema>;

const fromProc = (pid: number): string | null | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command's name may hold spaces and brackets; the fields after the last bracket do not.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return fields[0] === 'Z' || fields[0] === 'X' ? null : `${boot}/${fields[19]}`;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' && process.platform === 'linux'
      ? null
      : undefined;
  }
};

const fromPs = (pid: number): string | null => {
  try {
    const line = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    return line === '' || line.startsWith('Z') ? null : line.replace(/^\S+\s+/, '');
  } catch {
    return null;
  }
};

/** When the process with this pid started, as an opaque text; null when there is none (a zombie counts as none). */
export const startTimeOf = (pid: number): string | null => {
  const known = fromProc(pid);
  return known === undefined ? fromPs(pid) : known;
};

/** Identity of a running process; null when it is already gone. */
export const identify = (pid: number): ProcessId | null => {
  const startedAt = startTimeOf(pid);
  return startedAt === null ? null : { pid, startedAt };
};

let own: ProcessId | undefined;
/** Identity of this process. */
export const ownProcess = (): ProcessId =>
  (own ??= identify(process.pid) ?? { pid: process.pid, startedAt: '' });

/** True while exactly this process runs; false for a stranger that got its pid. */
export const isAlive = (id: ProcessId): boolean => startTimeOf(id.pid) === id.startedAt;

/** Sends a signal to exactly this process; a process that is gone, or another with its pid, gets none. */
export const signalProcess = (id: ProcessId, signal: NodeJS.Signals): void => {
  if (!isAlive(id)) return;
  try {
    process.kill(id.pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
};

/** True once the process is gone; false when it still runs after `ms`. */
export const waitForExit = async (id: ProcessId, ms: number): Promise<boolean> => {
  for (const end = Date.now() + ms; isAlive(id); await sleep(25)) {
    if (Date.now() >= end) return false;
  }
  return true;
};

/** SIGTERM, then SIGKILL after `graceMs`; resolves when the process is gone. */
export const stopProcess = async (id: ProcessId, graceMs: number): Promise<void> => {
  signalProcess(id, 'SIGTERM');
  if (await waitForExit(id, graceMs)) return;
  signalProcess(id, 'SIGKILL');
  await waitForExit(id, 5_000);
};
