import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { z } from 'zod';
import { WideseekError } from '../domain/errors.ts';

const workersSchema = z.strictObject({
  queues: z.record(
    z.string(),
    z.strictObject({
      /** Activities that one process runs at once. */
      concurrency: z.int().min(1).max(2000),
      /** Activity starts per second on the whole queue, all processes together. */
      perSecond: z.number().positive().optional(),
    }),
  ),
});
export type QueueConfig = z.infer<typeof workersSchema>['queues'][string];

/** Reads `configs/workers.yaml`. Throws `ConfigError` naming the field. */
export async function loadQueues(
  file = new URL('./workers.yaml', import.meta.url),
): Promise<Map<string, QueueConfig>> {
  const parsed = workersSchema.safeParse(parse(await readFile(file, 'utf8')));
  if (parsed.success) return new Map(Object.entries(parsed.data.queues));
  const issue = parsed.error.issues[0]!;
  throw new WideseekError(
    'ConfigError',
    `configs/workers.yaml: ${issue.path.join('.') || 'the file'}: ${issue.message}`,
  );
}
