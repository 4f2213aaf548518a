import type { Message } from '../../domain/agents/messages.ts';
import type { RunRecord } from '../../domain/run.ts';

/** SHA-256 of the content, lower-case hex. */
export type Ref = string;
/** Names a whole conversation: the hash of its last message and of the head before it. Null: empty. */
export type Head = Ref | null;

/** One page read in a run: what evidence may cite. */
export interface PageRead {
  agentId: string;
  url: string;
  title: string;
  /** The stored text. */
  ref: Ref;
}

export interface Spend {
  tokens: number;
  microUsd: number;
}
/** Null: no ceiling of that kind. */
export interface Ceiling {
  tokens: number | null;
  microUsd: number | null;
}

/** Content by hash. Writing what exists is a no-op, so every write may be retried. */
export interface Blobs {
  put(text: string): Promise<Ref>;
  /** Throws `NotFound` for an unknown ref. */
  get(ref: Ref): Promise<string>;
  putBytes(bytes: Uint8Array): Promise<Ref>;
  getBytes(ref: Ref): Promise<Uint8Array>;
}

/** Conversations by reference: immutable messages, each named by its content and its parent. */
export interface Conversations {
  append(head: Head, messages: readonly Message[]): Promise<Ref>;
  /** All messages, oldest first. Throws `NotFound` for an unknown head. */
  read(head: Head): Promise<Message[]>;
}

/**
 * Results of calls that cost money or change the world, by a key that a retry computes again. A retry whose
 * first attempt returned finds the record and makes no second call. First write wins.
 */
export interface Journal {
  recall(key: string): Promise<unknown>; // undefined: not recorded
  record(key: string, runId: string, value: unknown): Promise<void>;
}

/**
 * The run's ceiling. `reserve` is one transaction: it adds the worst case of a call if what is settled and
 * reserved stays within the ceiling, and says whether it did. Reserving a key again replaces its amount.
 */
export interface Budgets {
  reserve(runId: string, key: string, worstCase: Spend, ceiling: Ceiling): Promise<boolean>;
  settle(runId: string, key: string, actual: Spend): Promise<void>;
  /** Drops a reservation whose call never reached the provider. */
  release(runId: string, key: string): Promise<void>;
  spent(runId: string): Promise<Spend>;
}

export interface PageLog {
  /** Idempotent per (run, url, ref). */
  recordRead(runId: string, read: PageRead): Promise<void>;
  reads(runId: string): Promise<PageRead[]>;
}

export interface Runs {
  /** Inserts or replaces by `runId`. */
  save(run: RunRecord): Promise<void>;
  get(runId: string): Promise<RunRecord | undefined>;
  /** Newest first, without the rollouts of trainings and collections: there are thousands, and `get` finds each. */
  list(limit: number): Promise<RunRecord[]>;
}

/**
 * Small JSON documents that change: samples of an evaluation, entries of the page cache. `put` replaces.
 * A document whose `expiresAt` (ms since the epoch) has passed is not found.
 */
export interface Documents {
  put(collection: string, key: string, value: unknown, expiresAt?: number): Promise<void>;
  /** Undefined: not there, or expired at `now`. */
  get(collection: string, key: string, now?: number): Promise<unknown>;
  /** All of a collection by key, expired ones too. */
  list(collection: string): Promise<{ key: string; value: unknown }[]>;
  /** Keeps the `keep` latest written documents of a collection; returns how many went. */
  trim(collection: string, keep: number): Promise<number>;
}

/** Rows of the database and their content's size as stored. */
export interface Amount {
  rows: number;
  bytes: number;
}

export interface CollectOptions {
  /** Milliseconds since the epoch. */
  now: number;
  /** Runs whose every trace goes. None of them may be open. */
  forget: readonly string[];
  /** Content that was written since stays; at least an hour before anything that is still open began. */
  keepSince: number;
  /** Only counts. */
  dryRun: boolean;
}

/**
 * Takes out what is no longer needed, beside processes that work. Everything is in an order that lets a killed
 * collection be begun again: a run's record goes last.
 */
export interface Retention {
  /** All runs, rollouts of trainings included. */
  runs(): Promise<RunRecord[]>;
  /** Expired documents, then the runs to forget, then messages and content that nothing which stays names. */
  collect(
    options: CollectOptions,
  ): Promise<{ documents: Amount; runs: Amount; messages: Amount; blobs: Amount }>;
}

/** Everything the system remembers outside Temporal. One database; SQLite or Postgres. */
export interface Store extends Blobs {
  conversations: Conversations;
  journal: Journal;
  budgets: Budgets;
  pages: PageLog;
  runs: Runs;
  documents: Documents;
  retention: Retention;
  close(): Promise<void>;
}
