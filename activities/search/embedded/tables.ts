import { connect } from '@lancedb/lancedb';
import type { Connection, Table } from '@lancedb/lancedb';
import { Field, FixedSizeList, Float32, Int64, Schema, Utf8 } from 'apache-arrow';

export interface IndexTables {
  connection: Connection;
  passages: Table;
  pages: Table;
}

const text = (name: string): Field => new Field(name, new Utf8(), false);

/** `terms` is what full-text search reads; there is no vector column in an index by words only. */
const passageSchema = (dimensions: number): Schema =>
  new Schema([
    new Field('id', new Int64(), false),
    text('url'),
    text('title'),
    text('text'),
    text('terms'),
    ...(dimensions > 0
      ? [new Field('vector', new FixedSizeList(dimensions, new Field('item', new Float32(), true)), true)]
      : []),
  ]);

/** `key` is the canonical URL, `url` the one that the corpus gave. */
const pageSchema = new Schema([
  new Field('id', new Int64(), false),
  text('key'),
  text('url'),
  text('title'),
  text('text'),
]);

/** Opens a generation's tables, creating them where they are missing. */
export const createTables = async (dir: string, dimensions: number): Promise<IndexTables> => {
  const connection = await connect(dir);
  const options = { mode: 'create', existOk: true } as const;
  return {
    connection,
    passages: await connection.createEmptyTable('passages', passageSchema(dimensions), options),
    pages: await connection.createEmptyTable('pages', pageSchema, options),
  };
};

/** Opens tables that exist; rejects where they do not. */
export const openTables = async (dir: string): Promise<IndexTables> => {
  const connection = await connect(dir);
  return {
    connection,
    passages: await connection.openTable('passages'),
    pages: await connection.openTable('pages'),
  };
};
