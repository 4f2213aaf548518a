import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { z } from 'zod';
import { WideseekError } from '../../domain/errors.ts';

/** Throws `NotFound` naming the file. */
export const requireFile = async (path: string): Promise<void> => {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile()) return;
  throw new WideseekError('NotFound', `there is no corpus file ${path}`, {
    hint: 'Relative paths start at WIDESEEK_DATA.',
  });
};

/**
 * Reads JSON Lines one record at a time, from record `skip` on; blank lines are no records. Skipped lines are not
 * parsed. Throws `InvalidInput` with file:line at the first line that is no such record.
 */
export async function* readJsonl<T>(path: string, schema: z.ZodType<T>, skip = 0): AsyncGenerator<T> {
  await requireFile(path);
  const lines = createInterface({ input: createReadStream(path, 'utf8'), crlfDelay: Infinity });
  let line = 0;
  let record = 0;
  for await (const raw of lines) {
    line += 1;
    const text = line === 1 ? raw.replace(/^\uFEFF/, '') : raw;
    if (text.trim() === '') continue;
    record += 1;
    if (record <= skip) continue;
    const fail = (problem: string): never => {
      throw new WideseekError('InvalidInput', `${path}:${line}: ${problem}`, {
        hint: 'Correct or remove the line; what was indexed so far is kept.',
      });
    };
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      fail('is not JSON (a cut download?)');
    }
    const parsed = schema.safeParse(value);
    if (parsed.success) yield parsed.data;
    else {
      const [issue] = parsed.error.issues;
      fail(`${issue?.path.join('.') || 'the record'}: ${issue?.message ?? 'is wrong'}`);
    }
  }
}
