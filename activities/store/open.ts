import { createBlobs } from './blobs.ts';
import { createBudgets } from './budgets.ts';
import { createConversations } from './conversations.ts';
import { createDocuments } from './documents.ts';
import { createJournal } from './journal.ts';
import { migrate } from './migrations.ts';
import type { Store } from './port.ts';
import { openPostgres } from './postgres.ts';
import { createPageLog, createRuns } from './records.ts';
import { createRetention } from './retention.ts';
import type { Database } from './schema.ts';
import { openSqlite } from './sqlite.ts';
import { parseStoreUrl } from './url.ts';

const openDatabase = async (url: string): Promise<Database> => {
  const location = parseStoreUrl(url);
  if (location.dialect === 'sqlite')
    return { dialect: 'sqlite', db: await openSqlite(location.file, location.label) };
  return { dialect: 'postgres', db: openPostgres(location.url, location.label, location.secrets) };
};

/** A store on an open, migrated database. `close` ends the database. */
export const createStore = (database: Database): Store => ({
  ...createBlobs(database),
  conversations: createConversations(database),
  journal: createJournal(database),
  budgets: createBudgets(database),
  pages: createPageLog(database),
  runs: createRuns(database),
  documents: createDocuments(database),
  retention: createRetention(database),
  close: () => database.db.destroy(),
});

/**
 * Opens the store at `sqlite:/path/file.db`, a plain path, or `postgres://…`, and brings its schema up to date.
 * Any number of processes may hold one store open. Every method throws `WideseekError` only: `StorageFull` and
 * `Overloaded` (both retryable), `ConfigError` for a wrong URL, file or password. No error holds a password.
 */
export const openStore = async (url: string): Promise<Store> => {
  const database = await openDatabase(url);
  try {
    await migrate(database);
  } catch (error) {
    await database.db.destroy();
    throw error;
  }
  return createStore(database);
};
