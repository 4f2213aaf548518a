import type { Transaction } from 'kysely';
import { invalidInput } from '../../domain/errors.ts';
import type { Budgets, Ceiling, Spend } from './port.ts';
import type { Database, Tables } from './schema.ts';

const NOTHING: Spend = { tokens: 0, microUsd: 0 };

/** Whole numbers, rounded up, so that a budget is never undercounted. */
const whole = (spend: Spend): Spend => {
  for (const [field, amount] of Object.entries(spend))
    if (!Number.isFinite(amount) || amount < 0)
      throw invalidInput(`spend.${field}`, `must be a number from 0 up, got ${amount}`);
  return { tokens: Math.ceil(spend.tokens), microUsd: Math.ceil(spend.microUsd) };
};

const within = (total: number, ceiling: number | null): boolean => ceiling === null || total <= ceiling;

const fits = (total: Spend, ceiling: Ceiling): boolean =>
  within(total.tokens, ceiling.tokens) && within(total.microUsd, ceiling.microUsd);

/** What one change to a run's budget sees, while nobody else can change it. */
interface Ledger {
  /** Settled plus reserved. */
  committed: Spend;
  /** The call's share so far; undefined: it has none. */
  charge: (Spend & { settled: boolean }) | undefined;
  /** Replaces the call's share; undefined removes it. */
  write: (charge: (Spend & { settled: boolean }) | undefined) => Promise<void>;
}

const openLedger = async (
  tx: Transaction<Tables>,
  dialect: Database['dialect'],
  runId: string,
  key: string,
): Promise<Ledger> => {
  // The row is the run's lock on Postgres; on SQLite the transaction itself is the only writer.
  const locked = tx
    .selectFrom('budgets')
    .selectAll()
    .where('run_id', '=', runId)
    .$if(dialect === 'postgres', (query) => query.forUpdate());
  let total = await locked.executeTakeFirst();
  if (total === undefined) {
    await tx
      .insertInto('budgets')
      .values({ run_id: runId, tokens: 0, micro_usd: 0, spent_tokens: 0, spent_micro_usd: 0 })
      .onConflict((conflict) => conflict.column('run_id').doNothing())
      .execute();
    total = await locked.executeTakeFirstOrThrow();
  }
  const { tokens, micro_usd, spent_tokens, spent_micro_usd } = total;
  const row = await tx
    .selectFrom('charges')
    .selectAll()
    .where('run_id', '=', runId)
    .where('key', '=', key)
    .executeTakeFirst();
  const before: Spend = row === undefined ? NOTHING : { tokens: row.tokens, microUsd: row.micro_usd };

  return {
    committed: { tokens, microUsd: micro_usd },
    charge: row && { ...before, settled: row.settled === 1 },
    write: async (charge) => {
      const after = charge ?? NOTHING;
      if (charge === undefined)
        await tx.deleteFrom('charges').where('run_id', '=', runId).where('key', '=', key).execute();
      else {
        const values = {
          settled: charge.settled ? 1 : 0,
          tokens: charge.tokens,
          micro_usd: charge.microUsd,
        };
        await tx
          .insertInto('charges')
          .values({ run_id: runId, key, ...values })
          .onConflict((conflict) => conflict.columns(['run_id', 'key']).doUpdateSet(values))
          .execute();
      }
      await tx
        .updateTable('budgets')
        .set({
          tokens: tokens - before.tokens + after.tokens,
          micro_usd: micro_usd - before.microUsd + after.microUsd,
          spent_tokens: spent_tokens + (charge?.settled ? after.tokens : 0),
          spent_micro_usd: spent_micro_usd + (charge?.settled ? after.microUsd : 0),
        })
        .where('run_id', '=', runId)
        .execute();
    },
  };
};

/**
 * Settles a call that has no share yet, in two statements; false: it has one, and nothing has been changed. For SQLite
 * only, where the transaction keeps all others out: on Postgres two such changes could wait for each other.
 */
const settleFirst = async (
  tx: Transaction<Tables>,
  runId: string,
  key: string,
  { tokens, microUsd }: Spend,
): Promise<boolean> => {
  const charge = { run_id: runId, key, settled: 1, tokens, micro_usd: microUsd };
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('charges')
    .values(charge)
    .onConflict((conflict) => conflict.columns(['run_id', 'key']).doNothing())
    .executeTakeFirst();
  if (!numInsertedOrUpdatedRows) return false;
  const row = { tokens, micro_usd: microUsd, spent_tokens: tokens, spent_micro_usd: microUsd };
  await tx
    .insertInto('budgets')
    .values({ run_id: runId, ...row })
    .onConflict((conflict) =>
      conflict.column('run_id').doUpdateSet((now) => ({
        tokens: now('budgets.tokens', '+', tokens),
        micro_usd: now('budgets.micro_usd', '+', microUsd),
        spent_tokens: now('budgets.spent_tokens', '+', tokens),
        spent_micro_usd: now('budgets.spent_micro_usd', '+', microUsd),
      })),
    )
    .execute();
  return true;
};

/**
 * Reservations and settlements of runs. Each change is one transaction that holds the run's lock, so that
 * concurrent reservations, from any number of processes, never pass the ceiling together. A settled key is
 * final. `spent` counts what was settled; open reservations are not in it.
 */
export const createBudgets = ({ db, dialect }: Database): Budgets => {
  const change = <T>(runId: string, key: string, work: (ledger: Ledger) => Promise<T>): Promise<T> =>
    db.transaction().execute(async (tx) => work(await openLedger(tx, dialect, runId, key)));

  return {
    reserve: async (runId, key, worstCase, ceiling) => {
      const amount = whole(worstCase);
      return change(runId, key, async ({ committed, charge, write }) => {
        if (charge?.settled) return true;
        const others = charge ?? NOTHING;
        const total = {
          tokens: committed.tokens - others.tokens + amount.tokens,
          microUsd: committed.microUsd - others.microUsd + amount.microUsd,
        };
        if (!fits(total, ceiling)) return false;
        await write({ ...amount, settled: false });
        return true;
      });
    },

    settle: async (runId, key, actual) => {
      const amount = whole(actual);
      await db.transaction().execute(async (tx) => {
        if (dialect === 'sqlite' && (await settleFirst(tx, runId, key, amount))) return;
        const { charge, write } = await openLedger(tx, dialect, runId, key);
        if (!charge?.settled) await write({ ...amount, settled: true });
      });
    },

    release: (runId, key) =>
      change(runId, key, async ({ charge, write }) => {
        if (charge !== undefined && !charge.settled) await write(undefined);
      }),

    spent: async (runId) => {
      const row = await db
        .selectFrom('budgets')
        .select(['spent_tokens', 'spent_micro_usd'])
        .where('run_id', '=', runId)
        .executeTakeFirst();
      return { tokens: row?.spent_tokens ?? 0, microUsd: row?.spent_micro_usd ?? 0 };
    },
  };
};
