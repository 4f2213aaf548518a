import { z } from 'zod';
import { invalidInput } from '../../domain/errors.ts';
import type { Journal } from './port.ts';
import type { Database } from './schema.ts';
import { stored } from './validate.ts';

const jsonOf = (key: string, value: unknown): string => {
  try {
    // JSON has no `undefined`; a call without a result is still a call that was made.
    return JSON.stringify(value ?? null) ?? 'null';
  } catch (error) {
    throw invalidInput(`journal["${key}"]`, `cannot be written as JSON (${String(error)})`);
  }
};

/** Results by key; the first write wins and later ones change nothing. */
export const createJournal = ({ db }: Database): Journal => ({
  async recall(key) {
    const row = await db.selectFrom('journal').select('value').where('key', '=', key).executeTakeFirst();
    if (row === undefined) return undefined;
    return stored(z.unknown(), row.value, `journal entry "${key}"`);
  },

  async record(key, runId, value) {
    await db
      .insertInto('journal')
      .values({ key, run_id: runId, value: jsonOf(key, value) })
      .onConflict((conflict) => conflict.column('key').doNothing())
      .execute();
  },
});
