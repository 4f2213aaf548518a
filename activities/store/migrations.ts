import { Migrator, sql, type Kysely, type Migration } from 'kysely';
import { WideseekError } from '../../domain/errors.ts';
import { storeError } from './errors.ts';
import type { Database, Dialect } from './schema.ts';

type Schema = Kysely<unknown>;

const initial = async (db: Schema, dialect: Dialect): Promise<void> => {
  const bytes = dialect === 'sqlite' ? sql`blob` : sql`bytea`;
  const serial = dialect === 'sqlite' ? sql`integer` : sql`bigserial`;
  await db.schema
    .createTable('blobs')
    .addColumn('hash', 'text', (c) => c.primaryKey())
    .addColumn('encoding', 'text', (c) => c.notNull())
    .addColumn('bytes', bytes, (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('messages')
    .addColumn('hash', 'text', (c) => c.primaryKey())
    // The reference makes it impossible to continue a conversation that is not there.
    .addColumn('parent', 'text', (c) => c.references('messages.hash'))
    .addColumn('body', 'text', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('journal')
    .addColumn('key', 'text', (c) => c.primaryKey())
    .addColumn('run_id', 'text', (c) => c.notNull())
    .addColumn('value', 'text', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('budgets')
    .addColumn('run_id', 'text', (c) => c.primaryKey())
    .addColumn('tokens', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('micro_usd', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('spent_tokens', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('spent_micro_usd', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createTable('charges')
    .addColumn('run_id', 'text', (c) => c.notNull())
    .addColumn('key', 'text', (c) => c.notNull())
    .addColumn('settled', 'integer', (c) => c.notNull())
    .addColumn('tokens', 'bigint', (c) => c.notNull())
    .addColumn('micro_usd', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('charges_pk', ['run_id', 'key'])
    .execute();
  await db.schema
    .createTable('page_reads')
    .addColumn('seq', serial, (c) => (dialect === 'sqlite' ? c.primaryKey().autoIncrement() : c.primaryKey()))
    .addColumn('run_id', 'text', (c) => c.notNull())
    .addColumn('read_key', 'text', (c) => c.notNull())
    .addColumn('body', 'text', (c) => c.notNull())
    .addUniqueConstraint('page_reads_once', ['run_id', 'read_key'])
    .execute();
  await db.schema
    .createTable('runs')
    .addColumn('run_id', 'text', (c) => c.primaryKey())
    .addColumn('started_at', 'bigint', (c) => c.notNull())
    .addColumn('body', 'text', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('runs_newest').on('runs').columns(['started_at', 'run_id']).execute();
};

const documents = async (db: Schema): Promise<void> => {
  await db.schema
    .createTable('documents')
    .addColumn('collection', 'text', (c) => c.notNull())
    .addColumn('key', 'text', (c) => c.notNull())
    .addColumn('body', 'text', (c) => c.notNull())
    .addColumn('expires_at', 'bigint')
    .addColumn('written', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('documents_pk', ['collection', 'key'])
    .execute();
  await db.schema
    .createIndex('documents_written')
    .on('documents')
    .columns(['collection', 'written'])
    .execute();
};

/** What was there before is as old as this migration: nobody knows better. */
const writtenAt = async (db: Schema): Promise<void> => {
  const now = Date.now();
  for (const table of ['blobs', 'messages'])
    await db.schema
      .alterTable(table)
      .addColumn('written_at', 'bigint', (c) => c.notNull().defaultTo(now))
      .execute();
  // Without it, removing a message would look at all others for its children.
  await db.schema.createIndex('messages_parent').on('messages').column('parent').execute();
};

/** Append only: a migration that has shipped is never edited. Names sort in the order they run. */
const migrations = (dialect: Dialect): Record<string, Migration> => ({
  '0001-initial': { up: (db: Schema) => initial(db, dialect) },
  '0002-documents': { up: documents },
  '0003-written-at': { up: writtenAt },
});

/**
 * Brings the schema up to date. All pending migrations run in one transaction under a lock (SQLite: the write
 * lock; Postgres: an advisory lock), so processes that open the store at once do not collide.
 * Throws `ConfigError` where the database was made by a newer version of the program.
 */
export const migrate = async ({ db, dialect }: Database): Promise<void> => {
  const provider = { getMigrations: async () => migrations(dialect) };
  const { error } = await new Migrator({ db, provider }).migrateToLatest();
  if (error === undefined) return;
  if (error instanceof Error && /corrupted migrations/.test(error.message))
    throw new WideseekError('ConfigError', 'store: the database was made by another version of wideseek', {
      hint: 'Use the version that made it, or name a fresh database',
    });
  throw storeError(error, 'migration');
};
