import Database from 'better-sqlite3';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Lock {
  release(): void;
}

/**
 * A lock between processes: a write transaction on an empty SQLite file. The system drops it with the process
 * that held it, however that died, so a lock is never stale. Null when somebody else holds it.
 */
export const tryLock = (file: string): Lock | null => {
  mkdirSync(dirname(file), { recursive: true });
  const db = new Database(file, { timeout: 0 });
  try {
    db.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    db.close();
    if ((error as { code?: string }).code === 'SQLITE_BUSY') return null;
    throw error;
  }
  return { release: () => void db.close() };
};

/** Waits up to `waitMs` for the lock; null when it stayed taken. */
export const acquireLock = async (file: string, waitMs: number): Promise<Lock | null> => {
  for (const end = Date.now() + waitMs; ; await sleep(50)) {
    const lock = tryLock(file);
    if (lock || Date.now() >= end) return lock;
  }
};
