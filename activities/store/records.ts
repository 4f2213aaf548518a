import { z } from 'zod';
import { runRecordSchema } from '../../domain/run.ts';
import { canonicalJson, sha256 } from './hashing.ts';
import type { PageLog, PageRead, Runs } from './port.ts';
import type { Database } from './schema.ts';
import { checked, stored } from './validate.ts';

const pageReadSchema: z.ZodType<PageRead> = z.object({
  agentId: z.string(),
  url: z.string(),
  title: z.string(),
  ref: z.string(),
});

/** The pages that a run has read, in the order they were read. */
export const createPageLog = ({ db }: Database): PageLog => ({
  async recordRead(runId, read) {
    await db
      .insertInto('page_reads')
      .values({
        run_id: runId,
        read_key: sha256(canonicalJson([read.url, read.ref])),
        // JSON, because a title may hold characters that a text column refuses.
        body: canonicalJson(checked(pageReadSchema, read, 'read')),
      })
      .onConflict((conflict) => conflict.columns(['run_id', 'read_key']).doNothing())
      .execute();
  },

  async reads(runId) {
    const rows = await db
      .selectFrom('page_reads')
      .select('body')
      .where('run_id', '=', runId)
      .orderBy('seq')
      .execute();
    return rows.map((row) => stored(pageReadSchema, row.body, `the page log of run "${runId}"`));
  },
});

/** In a record's canonical JSON, whose last key is the workflow's id: below `train/<run>` or `rollout/<run>`. */
const isRollout = (kind: 'train' | 'rollout'): string => `%"workflowId":"${kind}/%/%"}`;

/** The list of runs, newest first. */
export const createRuns = ({ db }: Database): Runs => ({
  async save(run) {
    const values = {
      started_at: Math.trunc(run.startedAt),
      body: canonicalJson(checked(runRecordSchema, run, 'run')),
    };
    await db
      .insertInto('runs')
      .values({ run_id: run.runId, ...values })
      .onConflict((conflict) => conflict.column('run_id').doUpdateSet(values))
      .execute();
  },

  async get(runId) {
    const row = await db.selectFrom('runs').select('body').where('run_id', '=', runId).executeTakeFirst();
    return row && stored(runRecordSchema, row.body, `the record of run "${runId}"`);
  },

  async list(limit) {
    const rows = await db
      .selectFrom('runs')
      .select('body')
      .where('body', 'not like', isRollout('train'))
      .where('body', 'not like', isRollout('rollout'))
      .orderBy('started_at', 'desc')
      .orderBy('run_id', 'desc')
      .limit(Math.max(0, Math.trunc(limit)))
      .execute();
    return rows.map((row) => stored(runRecordSchema, row.body, 'the list of runs'));
  },
});
