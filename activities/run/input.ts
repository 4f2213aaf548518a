import type { z } from 'zod';
import { invalidInput } from '../../domain/errors.ts';

/**
 * What a person typed to start a workflow, checked and with its defaults. It happens in the first activity, because a
 * schema in workflow code would be built anew at each workflow start. Throws `InvalidInput` naming the field.
 */
export function checkInput<T>(schema: z.ZodType<T>, input: unknown): T {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  throw invalidInput(issue.path.join('.') || 'input', issue.message);
}
