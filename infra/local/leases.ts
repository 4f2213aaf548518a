import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive, ownProcess, processIdSchema } from './processes.ts';

let count = 0;

/** Says that this process wants the stack up. Returns the function that takes it back. */
export const addLease = (folder: string): (() => void) => {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${process.pid}-${++count}.json`);
  writeFileSync(file, JSON.stringify(ownProcess()));
  return () => rmSync(file, { force: true });
};

const holderOf = (file: string) => {
  try {
    return processIdSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return null; // being written this moment, or torn by a crash
  }
};

/** How many living processes want the stack up. Leases of dead ones are removed. */
export const liveLeases = (folder: string): number => {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return 0;
  }
  return names.filter((name) => {
    const file = join(folder, name);
    const holder = holderOf(file);
    if (holder && isAlive(holder)) return true;
    // An unreadable file counts as gone only when the process of its name is.
    const pid = Number.parseInt(name, 10);
    if (!holder && Number.isInteger(pid) && pidExists(pid)) return true;
    rmSync(file, { force: true });
    return false;
  }).length;
};

const pidExists = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};
