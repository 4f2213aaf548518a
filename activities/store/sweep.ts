import { sql } from 'kysely';
import { WideseekError } from '../../domain/errors.ts';
import { decode } from './blobs.ts';
import { createMarks, type OldContent } from './marks.ts';
import { pages } from './pages.ts';
import type { Amount } from './port.ts';
import type { Database, Tables } from './schema.ts';

const PAGE = 500;
/** Contents are read whole: fewer at a time. */
const CONTENTS = 50;

export interface SweepOptions {
  /** Content that was written or asked for since stays, and so does what it names. */
  keepSince: number;
  /** Documents and rows of runs that do not count as readers: they go, or would go. */
  isGone: {
    document: (row: { collection: string; key: string; expires_at: number | null }) => boolean;
    run: (runId: string) => boolean;
  };
  dryRun: boolean;
}

/**
 * Removes content and messages that were last written before `keepSince` and that nothing which stays names: no row, no
 * conversation and no content. What is written again in the meantime stays: each removal looks at the time once more.
 */
export async function sweep(
  { db }: Database,
  options: SweepOptions,
): Promise<{ blobs: Amount; messages: Amount }> {
  const { keepSince, isGone, dryRun } = options;
  const old = await oldContent();
  const marks = createMarks(old);
  if (old.blobs.size + old.messages.size > 0) await mark();

  const removed = { blobs: { rows: 0, bytes: 0 }, messages: { rows: 0, bytes: 0 } };
  const messages = marks.unmarkedMessages();
  for (let at = 0; at < messages.length; at += PAGE)
    await remove('messages', messages.slice(at, at + PAGE), (hash) => old.messages.get(hash)?.size ?? 0);
  const blobs = marks.unmarkedBlobs();
  for (let at = 0; at < blobs.length; at += PAGE)
    await remove('blobs', blobs.slice(at, at + PAGE), (hash) => old.blobs.get(hash) ?? 0);
  return removed;

  async function oldContent(): Promise<OldContent> {
    const found: OldContent = { blobs: new Map(), messages: new Map() };
    const size = (column: 'bytes' | 'body') => sql<number>`octet_length(${sql.ref(column)})`.as('size');
    for await (const row of pages('blobs', ['hash'], () =>
      db
        .selectFrom('blobs')
        .select(['hash', size('bytes')])
        .where('written_at', '<', keepSince),
    ))
      found.blobs.set(row.hash, row.size);
    for await (const row of pages('messages', ['hash'], () =>
      db
        .selectFrom('messages')
        .select(['hash', 'parent', size('body')])
        .where('written_at', '<', keepSince),
    ))
      found.messages.set(row.hash, { parent: row.parent, size: row.size });
    return found;
  }

  async function mark(): Promise<void> {
    // Documents first: what moves from one of them into a run's rows meanwhile is seen in one place or the other.
    for await (const row of pages('documents', ['collection', 'key'], () =>
      db.selectFrom('documents').select(['collection', 'key', 'expires_at', 'body']),
    ))
      if (!isGone.document(row)) marks.markText(row.body);
    for await (const row of pages('runs', ['run_id'], () => db.selectFrom('runs').select(['run_id', 'body'])))
      if (!isGone.run(row.run_id)) marks.markText(row.body);
    for await (const row of pages('journal', ['key'], () =>
      db.selectFrom('journal').select(['key', 'run_id', 'value']),
    ))
      if (!isGone.run(row.run_id)) marks.markText(row.value);
    for await (const row of pages('page_reads', ['seq'], () =>
      db.selectFrom('page_reads').select(['seq', 'run_id', 'body']),
    ))
      if (!isGone.run(row.run_id)) marks.markText(row.body);
    for await (const row of pages('messages', ['hash'], () =>
      db.selectFrom('messages').select(['hash', 'parent']).where('written_at', '>=', keepSince),
    ))
      marks.markMessage(row.parent);
    const content = () => db.selectFrom('blobs').select(['hash', 'encoding', 'bytes']);
    for await (const row of pages(
      'blobs',
      ['hash'],
      () => content().where('written_at', '>=', keepSince),
      CONTENTS,
    ))
      await markContent(row);
    while (marks.queue.length > 0)
      for (const row of await content().where('hash', 'in', marks.queue.splice(0, CONTENTS)).execute())
        await markContent(row);
  }

  async function markContent(row: Tables['blobs'] | Omit<Tables['blobs'], 'written_at'>): Promise<void> {
    // Damaged content names nothing; whoever reads it is told.
    const text = await decode(row.hash, row).catch(() => null);
    if (text) marks.markText(text.toString('latin1'));
  }

  async function remove(
    table: 'blobs' | 'messages',
    hashes: string[],
    sizeOf: (hash: string) => number,
  ): Promise<void> {
    const amount = removed[table];
    const count = (some: readonly string[]): void => {
      amount.rows += some.length;
      amount.bytes += some.reduce((sum, hash) => sum + sizeOf(hash), 0);
    };
    if (dryRun) return count(hashes);
    try {
      const gone = await db
        .deleteFrom(table)
        .where('hash', 'in', hashes)
        .where('written_at', '<', keepSince)
        .returning('hash')
        .execute();
      count(gone.map(({ hash }) => hash));
    } catch (error) {
      // Somebody has just continued one of these conversations: they stay for the next time.
      if (!(error instanceof WideseekError) || error.type !== 'NotFound') throw error;
    }
  }
}
