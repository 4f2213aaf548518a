import { type SelectQueryBuilder, sql, type SqlBool } from 'kysely';
import type { Tables } from './schema.ts';

const PAGE = 500;

/**
 * Rows of a query in the order of its table's key, which they must hold, a page of `size` at a time: no statement lasts
 * long and no transaction stays open. Rows that are written behind the place where it is are not seen.
 */
export async function* pages<Table extends keyof Tables, Row>(
  table: Table,
  keys: readonly (keyof Row & string)[],
  query: () => SelectQueryBuilder<Tables, Table, Row>,
  size = PAGE,
): AsyncGenerator<Row> {
  const columns = keys.map((key) => sql.ref(`${table}.${key}`));
  for (let last: Row | undefined; ;) {
    const after = last;
    let page = query();
    if (after)
      page = page.where(
        sql<SqlBool>`(${sql.join(columns)}) > (${sql.join(keys.map((key) => sql.val(after[key])))})`,
      );
    for (const column of columns) page = page.orderBy(column);
    const rows = (await page.limit(size).execute()) as Row[];
    yield* rows;
    last = rows.at(-1);
    if (rows.length < size) return;
  }
}
