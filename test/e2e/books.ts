import Sqlite from 'better-sqlite3';
import { z } from 'zod';

/** One recorded model call: the tokens that its answer reported, and when the record was written (ms since the epoch). */
export interface Recorded {
  promptTokens: number;
  completionTokens: number;
  at: number;
}
export interface Books {
  recorded: (runId: string) => Recorded[];
  budget: (runId: string) => { tokens: number; spent: number; open: number };
  close: () => void;
}

const entrySchema = z.object({
  value: z.string().transform((json) => replySchema.parse(JSON.parse(json))),
  at: z.number(),
});
const replySchema = z.object({
  usage: z.object({ promptTokens: z.number(), completionTokens: z.number() }),
});
const budgetSchema = z.object({ tokens: z.number(), spent: z.number(), open: z.number() });

/** Reads a store from outside. From now on the database itself notes when each journal entry is written. */
export function openBooks(file: string): Books {
  const db = new Sqlite(file, { timeout: 10_000 });
  db.exec(`create table test_times (key text primary key, at integer not null);
    create trigger test_times_of_journal after insert on journal begin
      insert into test_times values (new.key, cast(unixepoch('subsec') * 1000 as integer)); end`);
  return {
    recorded: (runId) =>
      db
        .prepare('select value, at from journal join test_times using (key) where run_id = ?')
        .all(runId)
        .map((row) => {
          const { value, at } = entrySchema.parse(row);
          return { ...value.usage, at };
        }),
    budget: (runId) =>
      budgetSchema.parse(
        db
          .prepare(
            `select tokens, spent_tokens as spent,
              (select count(*) from charges where charges.run_id = budgets.run_id and settled = 0) as open
            from budgets where run_id = ?`,
          )
          .get(runId),
      ),
    close: () => void db.close(),
  };
}
