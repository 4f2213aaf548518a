import type Sqlite from 'better-sqlite3';
import type { SqliteDatabase } from 'kysely';

/** More than the store has distinct queries; only appends of many messages at once push others out. */
const KEPT = 256;
/** What may run again as it was prepared. Pragmas, schema changes and the like are prepared each time. */
const PLAIN = /^\s*(select|insert|update|delete|with|begin|commit|rollback)\b/i;

/**
 * A database whose statements are prepared once for each SQL text: preparing costs more than most of our queries.
 * SQLite itself prepares a kept statement again when the schema has changed. Keeps the `kept` latest used.
 */
export const keepStatements = (database: Sqlite.Database, kept = KEPT): SqliteDatabase => {
  const statements = new Map<string, Sqlite.Statement>();
  return {
    close: () => {
      statements.clear();
      database.close();
    },
    prepare: (sql) => {
      const known = statements.get(sql);
      // A statement under iteration cannot run a second time.
      if (known?.busy || !PLAIN.test(sql)) return database.prepare(sql);
      const statement = known ?? database.prepare(sql);
      statements.delete(sql);
      statements.set(sql, statement);
      if (statements.size > kept) statements.delete(statements.keys().next().value!);
      return statement;
    },
  };
};
