import type { Generated, Kysely } from 'kysely';

/** Tables of the store, the same on SQLite and Postgres. Counts and times are integers. */
export interface Tables {
  /** `written_at` is when it was last written or asked to be, give or take `REWRITE_MS`. */
  blobs: { hash: string; encoding: string; bytes: Uint8Array; written_at: number };
  /** `body` is the message as canonical JSON. */
  messages: { hash: string; parent: string | null; body: string; written_at: number };
  journal: { key: string; run_id: string; value: string };
  /** Per run: `tokens` and `micro_usd` are settled plus reserved; `spent_*` is what was settled. */
  budgets: {
    run_id: string;
    tokens: number;
    micro_usd: number;
    spent_tokens: number;
    spent_micro_usd: number;
  };
  /** One call's share of a budget. `settled` is 0 or 1. */
  charges: { run_id: string; key: string; settled: number; tokens: number; micro_usd: number };
  /** `read_key` is a hash of URL and content, because URLs can be longer than an index entry may be. */
  page_reads: { seq: Generated<number>; run_id: string; read_key: string; body: string };
  runs: { run_id: string; started_at: number; body: string };
  /** `written` counts up with every write of the database, so that the oldest can be dropped. */
  documents: { collection: string; key: string; body: string; expires_at: number | null; written: number };
}

/** Writing again what is there notes the time, so that nobody removes it meanwhile; more often than this is not worth a write. */
export const REWRITE_MS = 3_600_000;

export type Dialect = 'sqlite' | 'postgres';

/** An open database of the store. */
export interface Database {
  db: Kysely<Tables>;
  dialect: Dialect;
}
