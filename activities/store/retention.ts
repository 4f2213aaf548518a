import { sql } from 'kysely';
import { runRecordSchema } from '../../domain/run.ts';
import type { Amount, Retention } from './port.ts';
import type { Database } from './schema.ts';
import { sweep } from './sweep.ts';
import { stored } from './validate.ts';

/** Collections that are one run's alone: `<name>/<run>`. */
const PER_RUN = ['tokens', 'samples', 'groups', 'batches', 'steps', 'checkpoints', 'snapshots', 'evals'];
/** Collections with one document a run, under its id. */
const KEYED = ['resume', 'evaluations', 'trainings', 'trainers', 'policy'];
/** Runs in one statement. */
const RUNS = 500;

/** True for a document of one of these runs. */
const belongsTo =
  (runs: ReadonlySet<string>) =>
  ({ collection, key }: { collection: string; key: string }): boolean => {
    if (KEYED.includes(collection)) return runs.has(key);
    const at = collection.indexOf('/');
    return at > 0 && PER_RUN.includes(collection.slice(0, at)) && runs.has(collection.slice(at + 1));
  };

export const createRetention = (database: Database): Retention => {
  const { db } = database;

  const add = (sum: Amount, rows: readonly { size: number }[]): void => {
    sum.rows += rows.length;
    sum.bytes += rows.reduce((total, { size }) => total + size, 0);
  };
  const size = (column: string) => sql<number>`octet_length(${sql.ref(column)})`.as('size');

  async function expire(now: number, dryRun: boolean): Promise<Amount> {
    const amount = { rows: 0, bytes: 0 };
    const rows = dryRun
      ? db.selectFrom('documents').select(size('body')).where('expires_at', '<=', now)
      : db.deleteFrom('documents').where('expires_at', '<=', now).returning(size('body'));
    add(amount, await rows.execute());
    return amount;
  }

  /** All rows of some runs; their records last, so that what is cut short is found again. */
  async function forget(runs: readonly string[], dryRun: boolean): Promise<Amount> {
    const amount = { rows: 0, bytes: 0 };
    const collections = PER_RUN.flatMap((name) => runs.map((run) => `${name}/${run}`));
    const own = sql<boolean>`(collection in (${sql.join(collections)}) or (collection in (${sql.join(KEYED)}) and key in (${sql.join(runs)})))`;
    const documents = dryRun
      ? db.selectFrom('documents').select(size('body')).where(own)
      : db.deleteFrom('documents').where(own).returning(size('body'));
    add(amount, await documents.execute());
    const tables = [
      ['journal', 'value'],
      ['page_reads', 'body'],
      ['charges', 'key'],
      ['budgets', 'run_id'],
      ['runs', 'body'],
    ] as const;
    for (const [table, column] of tables) {
      const rows = dryRun
        ? db
            .selectFrom(table)
            .select(size(column))
            .where('run_id', 'in', [...runs])
        : db
            .deleteFrom(table)
            .where('run_id', 'in', [...runs])
            .returning(size(column));
      add(amount, await rows.execute());
    }
    return amount;
  }

  return {
    async runs() {
      const rows = await db.selectFrom('runs').select('body').execute();
      return rows.map(({ body }) => stored(runRecordSchema, body, 'the list of runs'));
    },

    async collect({ now, forget: gone, keepSince, dryRun }) {
      const documents = await expire(now, dryRun);
      const runs = { rows: 0, bytes: 0 };
      for (let at = 0; at < gone.length; at += RUNS) {
        const some = await forget(gone.slice(at, at + RUNS), dryRun);
        runs.rows += some.rows;
        runs.bytes += some.bytes;
      }
      const names = new Set(gone);
      const ofGone = belongsTo(names);
      const content = await sweep(database, {
        keepSince,
        dryRun,
        isGone: {
          document: (row) => ofGone(row) || (row.expires_at !== null && row.expires_at <= now),
          run: (runId) => names.has(runId),
        },
      });
      return { documents, runs, ...content };
    },
  };
};
