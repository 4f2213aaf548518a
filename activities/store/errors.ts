import { WideseekError, type FailureType } from '../../domain/errors.ts';

const HINTS: Partial<Record<FailureType, string>> = {
  StorageFull: 'Free space on the disk that holds the store; the write is then retried',
  Overloaded: 'The store is locked, down or unreachable; the call can be retried',
  ConfigError: 'Check the store URL, the file it names and its permissions',
};

const SQLITE: readonly (readonly [prefix: string, type: FailureType])[] = [
  ['SQLITE_FULL', 'StorageFull'],
  ['SQLITE_IOERR', 'StorageFull'],
  ['SQLITE_BUSY', 'Overloaded'],
  ['SQLITE_LOCKED', 'Overloaded'],
  ['SQLITE_CANTOPEN', 'ConfigError'],
  ['SQLITE_NOTADB', 'ConfigError'],
  ['SQLITE_READONLY', 'ConfigError'],
  ['SQLITE_CONSTRAINT_FOREIGNKEY', 'NotFound'],
  ['SQLITE_TOOBIG', 'InvalidInput'],
];

/** Postgres SQLSTATE codes and classes; the first prefix that fits decides. */
const POSTGRES: readonly (readonly [prefix: string, type: FailureType])[] = [
  ['53100', 'StorageFull'], // disk_full
  ['58030', 'StorageFull'], // io_error
  ['53', 'Overloaded'], // out of memory, too many connections
  ['08', 'Overloaded'], // connection exceptions
  ['57P', 'Overloaded'], // shutdown, crash, cannot connect now
  ['57014', 'Overloaded'], // statement timeout
  ['40', 'Overloaded'], // serialisation failure, deadlock
  ['55P03', 'Overloaded'], // lock not available
  ['25006', 'Overloaded'], // read-only: a failover is under way
  ['28', 'ConfigError'], // wrong user or password
  ['3D000', 'ConfigError'], // no such database
  ['42501', 'ConfigError'], // missing privilege
  ['23503', 'NotFound'], // foreign key
  ['22021', 'InvalidInput'], // a NUL character in an id
  ['54', 'InvalidInput'], // an id too long for an index
];

const SYSTEM: Readonly<Record<string, FailureType>> = {
  ENOSPC: 'StorageFull',
  EDQUOT: 'StorageFull',
  EIO: 'StorageFull',
  ENOTFOUND: 'ConfigError',
  EACCES: 'ConfigError',
  EPERM: 'ConfigError',
  EROFS: 'ConfigError',
  ENOTDIR: 'ConfigError',
  EISDIR: 'ConfigError',
  EEXIST: 'ConfigError',
  ECONNREFUSED: 'Overloaded',
  ECONNRESET: 'Overloaded',
  EPIPE: 'Overloaded',
  ETIMEDOUT: 'Overloaded',
  EAI_AGAIN: 'Overloaded',
  ENOENT: 'Overloaded', // a Postgres socket that is not there yet
};

/** Messages of `pg` that carry no code. */
const LOST_CONNECTION = /connection (terminated|timeout)|timeout exceeded when trying to connect/i;

/** The driver's error code, e.g. `SQLITE_FULL`, `53100` or `ECONNREFUSED`; empty where it gave none. */
export const errorCode = (error: unknown): string => {
  if (typeof error !== 'object' || error === null) return '';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  // Several refused addresses arrive as one AggregateError.
  if (code === '' && error instanceof AggregateError) return errorCode(error.errors[0]);
  return code;
};

const typeOf = (code: string, message: string): FailureType => {
  const system = SYSTEM[code];
  if (system !== undefined) return system;
  const table = code.startsWith('SQLITE_') ? SQLITE : /^[0-9A-Z]{5}$/.test(code) ? POSTGRES : [];
  const known = table.find(([prefix]) => code.startsWith(prefix))?.[1];
  if (known !== undefined) return known;
  return LOST_CONNECTION.test(message) ? 'Overloaded' : 'Internal';
};

/**
 * Turns whatever a database driver threw into a `WideseekError` that names the store, the code and the reason.
 * `secrets` (passwords) are blotted out. The driver's error is not kept as a cause: it may hold connection
 * details. A `WideseekError` passes through unchanged.
 */
export const storeError = (error: unknown, label: string, secrets: readonly string[] = []): WideseekError => {
  if (error instanceof WideseekError) return error;
  const code = errorCode(error);
  const raw = error instanceof Error ? error.message : String(error);
  const type = typeOf(code, raw);
  const safe = secrets.reduce((text, secret) => text.replaceAll(secret, '***'), raw);
  const detail = [code, safe.split('\n')[0]].filter((part) => part !== '').join(': ');
  return new WideseekError(type, `store ${label}: ${detail || 'unknown failure'}`, { hint: HINTS[type] });
};

/** A stored record that cannot be what was written: the file or table was damaged or edited. */
export const damaged = (what: string): WideseekError =>
  new WideseekError('Internal', `store: ${what} is damaged`, {
    hint: 'Restore the database from a backup, or start the run again with a fresh store',
  });
