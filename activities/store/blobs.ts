import { promisify } from 'node:util';
import { deflate, inflate } from 'node:zlib';
import { WideseekError } from '../../domain/errors.ts';
import { damaged } from './errors.ts';
import { sha256 } from './hashing.ts';
import type { Blobs, Ref } from './port.ts';
import { type Database, REWRITE_MS } from './schema.ts';

const deflated = promisify(deflate);
const inflated = promisify(inflate);

/** Below this, compression saves less than it costs: most messages and reports stay as they are. Bytes. */
const COMPRESS_FROM = 8 * 1024;
/** Half the time of the default level for nearly its size. The work is done outside the main thread. */
const LEVEL = 1;
/** Larger content is not hashed again on each read. Bytes. */
const VERIFY_BELOW = 1024 * 1024;

const encode = async (bytes: Uint8Array): Promise<{ encoding: string; bytes: Uint8Array }> => {
  if (bytes.length >= COMPRESS_FROM) {
    const smaller = await deflated(bytes, { level: LEVEL });
    if (smaller.length < bytes.length * 0.9) return { encoding: 'deflate', bytes: smaller };
  }
  return { encoding: 'raw', bytes };
};

/** What a row holds. Throws `Internal` where it is damaged. */
export const decode = async (ref: Ref, row: { encoding: string; bytes: Uint8Array }): Promise<Buffer> => {
  try {
    return row.encoding === 'deflate' ? await inflated(row.bytes) : Buffer.from(row.bytes);
  } catch {
    throw damaged(`content ${ref}`);
  }
};

/** Content by hash: stored once, compressed where that helps, checked against its hash when read. */
export const createBlobs = ({ db }: Database): Blobs => {
  const putBytes = async (content: Uint8Array): Promise<Ref> => {
    const hash = sha256(content);
    const written_at = Date.now();
    const stale = written_at - REWRITE_MS;
    // What is small is written at once; compressing what is there already would cost more than a look.
    if (content.length >= COMPRESS_FROM) {
      const known = await db
        .selectFrom('blobs')
        .select('written_at')
        .where('hash', '=', hash)
        .executeTakeFirst();
      if (known !== undefined && known.written_at >= stale) return hash;
    }
    const stored = await encode(content);
    await db
      .insertInto('blobs')
      .values({ hash, encoding: stored.encoding, bytes: Buffer.from(stored.bytes), written_at })
      .onConflict((conflict) =>
        conflict.column('hash').doUpdateSet({ written_at }).where('blobs.written_at', '<', stale),
      )
      .execute();
    return hash;
  };

  const getBytes = async (ref: Ref): Promise<Buffer> => {
    const row = await db
      .selectFrom('blobs')
      .select(['encoding', 'bytes'])
      .where('hash', '=', ref)
      .executeTakeFirst();
    if (row === undefined)
      throw new WideseekError('NotFound', `store: no content has the hash "${ref}"`, {
        hint: 'It was written to another store, or the store was deleted',
      });
    const content = await decode(ref, row);
    if (content.length < VERIFY_BELOW && sha256(content) !== ref) throw damaged(`content ${ref}`);
    return content;
  };

  return {
    put: (text) => putBytes(Buffer.from(text, 'utf8')),
    get: async (ref) => (await getBytes(ref)).toString('utf8'),
    putBytes,
    getBytes,
  };
};
