import type { z } from 'zod';
import { invalidInput } from '../../domain/errors.ts';
import { damaged } from './errors.ts';

/** A value that is about to be written, without unknown fields. Throws `InvalidInput` naming the field. */
export const checked = <T>(schema: z.ZodType<T>, value: unknown, field: string): T => {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw invalidInput([field, ...(issue?.path ?? [])].join('.'), issue?.message ?? 'is not valid');
};

/** A value read back from JSON text. Throws `Internal`, naming `what`, where the text is not what was written. */
export const stored = <T>(schema: z.ZodType<T>, json: string, what: string): T => {
  try {
    return schema.parse(JSON.parse(json));
  } catch {
    throw damaged(what);
  }
};
