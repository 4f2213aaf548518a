import { sql } from 'kysely';
import { messageSchema, type Message } from '../../domain/agents/messages.ts';
import { invalidInput, WideseekError } from '../../domain/errors.ts';
import { canonicalJson, sha256 } from './hashing.ts';
import type { Conversations, Head, Ref } from './port.ts';
import { type Database, REWRITE_MS, type Tables } from './schema.ts';
import { checked, stored } from './validate.ts';

/** Rows per statement; both databases limit the number of parameters. */
const CHUNK = 1000;

/** The rows of a conversation's continuation. A name is SHA-256 over canonical JSON of `{message, parent}`. */
const linked = (head: Head, messages: readonly Message[]): Tables['messages'][] => {
  let parent = head;
  const written_at = Date.now();
  return messages.map((message, index) => {
    const body = canonicalJson(checked(messageSchema, message, `messages[${index}]`));
    const hash = sha256(`{"message":${body},"parent":${JSON.stringify(parent)}}`);
    const row = { hash, parent, body, written_at };
    parent = row.hash;
    return row;
  });
};

/** Names of the conversations that begin a conversation: one for each message, the last for all. */
export const headsOf = (messages: readonly Message[]): Ref[] =>
  linked(null, messages).map(({ hash }) => hash);

const unknownHead = (head: Ref): WideseekError =>
  new WideseekError('NotFound', `store: no conversation has the head "${head}"`, {
    hint: 'It was written to another store, or the store was deleted',
  });

/** Conversations as a tree of immutable messages: equal prefixes are the same rows. */
export const createConversations = ({ db }: Database): Conversations => ({
  async append(head, messages) {
    const rows = linked(head, messages);
    const last = rows.at(-1)?.hash ?? head;
    if (last === null) throw invalidInput('messages', 'is empty, and so is the conversation');
    try {
      for (let start = 0; start < rows.length; start += CHUNK)
        await db
          .insertInto('messages')
          .values(rows.slice(start, start + CHUNK))
          .onConflict((conflict) =>
            conflict
              .column('hash')
              .doUpdateSet((row) => ({ written_at: row.ref('excluded.written_at') }))
              .where('messages.written_at', '<', Date.now() - REWRITE_MS),
          )
          .execute();
    } catch (error) {
      const orphan = error instanceof WideseekError && error.type === 'NotFound';
      throw orphan && head !== null ? unknownHead(head) : error;
    }
    return last;
  },

  async read(head) {
    if (head === null) return [];
    const { rows } = await sql<{ body: string }>`
      with recursive chain(hash, parent, depth) as (
        select hash, parent, 0 from messages where hash = ${head}
        union all
        select m.hash, m.parent, chain.depth + 1 from chain join messages m on m.hash = chain.parent
      )
      select m.body from chain join messages m on m.hash = chain.hash order by chain.depth desc`.execute(db);
    if (rows.length === 0) throw unknownHead(head);
    return rows.map((row) => stored(messageSchema, row.body, `conversation ${head}`));
  },
});
