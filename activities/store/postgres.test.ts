import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findPostgres, startPostgres, type TestPostgres } from '../../test/support/postgres.ts';
import { storeContract } from './fixtures/contract.ts';
import { openStore } from './open.ts';
import { processContract } from './fixtures/process-contract.ts';

const { reason } = findPostgres();
if (reason) console.warn(`skipped: store on Postgres: ${reason}`);

describe.skipIf(reason)(`store on Postgres${reason ? ` (skipped: ${reason})` : ''}`, () => {
  let server: TestPostgres;
  beforeAll(async () => {
    server = await startPostgres({ fsync: 'off' });
  });
  afterAll(() => server?.stop());

  describe('contract', () => {
    let url: string;
    beforeAll(async () => {
      url = await server.createDatabase('contract');
    });
    storeContract(() => openStore(url));
  });

  describe('processes', () => {
    let url: string;
    beforeAll(async () => {
      url = await server.createDatabase('processes');
    });
    processContract(() => url);
  });

  describe('faults', () => {
    it('a full disk is a retryable StorageFull', async () => {
      const url = await server.createDatabase('full');
      const store = await openStore(url);
      const admin = new pg.Client({ connectionString: url });
      await admin.connect();
      // The server itself raises the condition it raises for a full disk.
      await admin.query(`
        create function full_disk() returns trigger language plpgsql as
          $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$;
        create trigger full_disk before insert on charges execute function full_disk();`);
      await expect(store.budgets.settle('run', 'key', { tokens: 1, microUsd: 0 })).rejects.toMatchObject({
        type: 'StorageFull',
        retryable: true,
      });
      expect(await store.budgets.spent('run')).toEqual({ tokens: 0, microUsd: 0 });
      await admin.query('drop trigger full_disk on charges');
      await store.budgets.settle('run', 'key', { tokens: 1, microUsd: 0 });
      expect(await store.budgets.spent('run')).toEqual({ tokens: 1, microUsd: 0 });
      await admin.end();
      await store.close();
    });

    it('a wrong password or database is a ConfigError that does not tell the password', async () => {
      const wrong = new URL(server.url);
      wrong.password = 'open sesame!';
      const refused = openStore(wrong.href);
      await expect(refused).rejects.toMatchObject({ type: 'ConfigError' });
      const error = await refused.catch((caught: unknown) => caught);
      const told = `${String(error)} ${JSON.stringify(error)} ${error instanceof Error ? error.stack : ''}`;
      expect(told).not.toMatch(/sesame/);

      const missing = new URL(server.url);
      missing.pathname = '/nowhere';
      await expect(openStore(missing.href)).rejects.toMatchObject({ type: 'ConfigError' });
    });

    it('an id that Postgres cannot hold is the caller’s fault', async () => {
      const store = await openStore(server.url);
      await expect(store.journal.record('a\u0000b', 'run', 1)).rejects.toMatchObject({
        type: 'InvalidInput',
      });
      await store.close();
    });

    it('an outage is Overloaded, for open connections and for new ones', async () => {
      const fallen = await startPostgres({ fsync: 'off' });
      const store = await openStore(fallen.url);
      await store.journal.record('before', 'run', 1);
      await fallen.halt();
      const overloaded = { type: 'Overloaded', retryable: true };
      await expect(store.journal.recall('before')).rejects.toMatchObject(overloaded);
      await expect(store.budgets.settle('run', 'key', { tokens: 1, microUsd: 0 })).rejects.toMatchObject(
        overloaded,
      );
      await expect(openStore(fallen.url)).rejects.toMatchObject(overloaded);
      await store.close();
      await fallen.stop();
    });
  });
});
