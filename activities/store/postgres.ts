import { Kysely, PostgresAdapter, PostgresDriver, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import pg from 'pg';
import { guardDriver, type Guard } from './driver.ts';
import { storeError } from './errors.ts';
import type { Tables } from './schema.ts';

const CONNECTIONS = 10;
const CONNECT_DEADLINE_MS = 10_000;
const STATEMENT_DEADLINE_MS = 60_000;
const INT8 = pg.types.builtins.INT8;

/** Our 64-bit columns hold counts and milliseconds, all below 2^53. */
const integersAsNumbers: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    Number(oid) === Number(INT8)
      ? Number
      : (pg.types.getTypeParser(oid, format) as (text: string) => unknown),
};

/** Opens a pool on a Postgres database. Connections are made on first use. */
export const openPostgres = (url: string, label: string, secrets: readonly string[]): Kysely<Tables> => {
  const guard: Guard = async (call) => {
    try {
      return await call();
    } catch (error) {
      throw storeError(error, label, secrets);
    }
  };
  const pool = new pg.Pool({
    connectionString: url,
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECT_DEADLINE_MS,
    statement_timeout: STATEMENT_DEADLINE_MS,
    keepAlive: true,
    application_name: 'wideseek',
    types: integersAsNumbers,
  });
  // An idle connection that breaks is replaced on the next call; without a listener it would end the process.
  pool.on('error', () => undefined);
  return new Kysely<Tables>({
    dialect: {
      createDriver: () => guardDriver(new PostgresDriver({ pool }), guard),
      createAdapter: () => new PostgresAdapter(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
};
