import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import {
  CompiledQuery,
  Kysely,
  SqliteAdapter,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { guardDriver, type Guard } from './driver.ts';
import { errorCode, storeError } from './errors.ts';
import type { Tables } from './schema.ts';
import { keepStatements } from './statements.ts';

/** How long SQLite itself waits for a lock. It blocks the whole process, so the real waiting is done outside. */
const BLOCKING_WAIT_MS = 5;
const MAX_PAUSE_MS = 10;
/** How long a statement waits for other processes before it fails as `Overloaded`. */
const LOCK_DEADLINE_MS = 15_000;

const isBusy = (error: unknown): boolean => errorCode(error).startsWith('SQLITE_BUSY');

/** Retries while another process holds the lock. Safe: a refused statement has changed nothing. */
const patient =
  (label: string, deadlineMs: number): Guard =>
  async (call) => {
    const giveUpAt = performance.now() + deadlineMs;
    for (;;) {
      try {
        return await call();
      } catch (error) {
        if (!isBusy(error) || performance.now() > giveUpAt) throw storeError(error, label);
        await sleep(1 + Math.random() * MAX_PAUSE_MS);
      }
    }
  };

const adapter = (): SqliteAdapter =>
  // SQLite can roll back DDL; with `begin immediate` that makes a set of migrations atomic between processes.
  Object.defineProperty(new SqliteAdapter(), 'supportsTransactionalDdl', { value: true });

const connect = (file: string, label: string): Sqlite.Database => {
  try {
    if (file !== ':memory:') mkdirSync(dirname(file), { recursive: true });
    return new Sqlite(file, { timeout: BLOCKING_WAIT_MS });
  } catch (error) {
    throw storeError(error, label);
  }
};

/**
 * Opens one SQLite file for use by several processes at once: write-ahead log, `synchronous = normal` (what
 * was acknowledged survives the death of the process; a power cut may cost the last moments, never the file).
 * Creates missing folders. `lockDeadlineMs`: how long to wait for other writers.
 */
export const openSqlite = async (
  file: string,
  label: string,
  lockDeadlineMs = LOCK_DEADLINE_MS,
): Promise<Kysely<Tables>> => {
  const database = connect(file, label);
  const guard = patient(label, lockDeadlineMs);
  try {
    await guard(async () => {
      database.pragma('journal_mode = WAL');
      database.pragma('synchronous = normal');
      database.pragma('foreign_keys = on');
    });
  } catch (error) {
    database.close();
    throw error;
  }
  const driver = guardDriver(new SqliteDriver({ database: keepStatements(database) }), guard, {
    // A deferred transaction that turns into a writer can fail at once; an immediate one waits its turn.
    beginTransaction: async (connection) => {
      await connection.executeQuery(CompiledQuery.raw('begin immediate'));
    },
    // A full disk makes SQLite roll back by itself; a second rollback would hide the reason.
    rollbackTransaction: async (connection) => {
      if (database.inTransaction) await connection.executeQuery(CompiledQuery.raw('rollback'));
    },
  });
  return new Kysely<Tables>({
    dialect: {
      createDriver: () => driver,
      createAdapter: adapter,
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
};
