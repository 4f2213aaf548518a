import { sql } from 'kysely';
import { canonicalJson } from './hashing.ts';
import type { Documents } from './port.ts';
import type { Database } from './schema.ts';

/** Documents by collection and key; the latest write wins. */
export const createDocuments = ({ db }: Database): Documents => ({
  async put(collection, key, value, expiresAt) {
    const row = {
      body: canonicalJson(value ?? null),
      expires_at: expiresAt === undefined ? null : Math.trunc(expiresAt),
      written: sql<number>`(select coalesce(max(written), 0) + 1 from documents where collection = ${collection})`,
    };
    await db
      .insertInto('documents')
      .values({ collection, key, ...row })
      .onConflict((conflict) => conflict.columns(['collection', 'key']).doUpdateSet(row))
      .execute();
  },

  async get(collection, key, now = Date.now()) {
    const row = await db
      .selectFrom('documents')
      .select(['body', 'expires_at'])
      .where('collection', '=', collection)
      .where('key', '=', key)
      .executeTakeFirst();
    if (!row || (row.expires_at !== null && row.expires_at <= now)) return undefined;
    return JSON.parse(row.body) as unknown;
  },

  async list(collection) {
    const rows = await db
      .selectFrom('documents')
      .select(['key', 'body'])
      .where('collection', '=', collection)
      .orderBy('key')
      .execute();
    return rows.map(({ key, body }) => ({ key, value: JSON.parse(body) as unknown }));
  },

  async trim(collection, keep) {
    const last = await db
      .selectFrom('documents')
      .select('written')
      .where('collection', '=', collection)
      .orderBy('written', 'desc')
      .offset(Math.max(0, Math.trunc(keep)))
      .limit(1)
      .executeTakeFirst();
    if (!last) return 0;
    const gone = await db
      .deleteFrom('documents')
      .where('collection', '=', collection)
      .where('written', '<=', last.written)
      .executeTakeFirst();
    return Number(gone.numDeletedRows);
  },
});
