import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { openJudgeSession, type SessionOptions } from '../../activities/judge/session.ts';
import { createTableJudge } from '../../activities/judge/table-judge.ts';
import { invalidInput, WideseekError } from '../../domain/errors.ts';
import { DEFAULT_CRITERION } from '../../domain/scoring/judge/prompts.ts';
import { parseBinary, parseReplyObject } from '../../domain/scoring/judge/reply.ts';
import { readObjects } from './responses.ts';

const pairSchema = z.object({
  response: z.string(),
  target: z.string(),
  criterion: z.string().default(DEFAULT_CRITERION),
  label: z.union([z.literal(0), z.literal(1)], 'must be 0 or 1'),
});
export type LabelledPair = z.infer<typeof pairSchema> & { where: string };

/** Reads labelled pairs from JSON Lines. Throws `InvalidInput` naming file, line and field. */
export async function readPairs(file: string): Promise<LabelledPair[]> {
  const content = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new WideseekError('NotFound', `there is no readable file ${file}`, { cause });
  });
  const pairs = readObjects(file, content).map(({ where, value }) => {
    const parsed = pairSchema.safeParse(value);
    if (parsed.success) return { where, ...parsed.data };
    const issue = parsed.error.issues[0];
    throw invalidInput(`${where}: ${issue?.path.join('.') ?? ''}`, issue?.message ?? 'is no labelled pair');
  });
  if (pairs.length === 0) throw invalidInput('FILE', `${file} holds no pairs`);
  return pairs;
}

/** Verdicts in the order of the pairs, reached as in scoring; null where the judge gave none. */
export async function judgePairs(
  pairs: readonly LabelledPair[],
  options: SessionOptions,
): Promise<{ verdicts: (0 | 1 | null)[]; outage: WideseekError | null; calls: number }> {
  const session = openJudgeSession(options);
  const judge = createTableJudge(session);
  const verdicts: (0 | 1 | null)[] = pairs.map(() => null);
  for (const criterion of new Set(pairs.map((pair) => pair.criterion))) {
    const asked = pairs.flatMap((pair, index) => (pair.criterion === criterion ? [{ ...pair, index }] : []));
    const reply = await judge({ kind: 'judge', scope: 'judge:pairs', criterion, pairs: asked, attempt: 0 });
    const map = reply.kind === 'text' ? parseReplyObject(reply.text) : null;
    for (const { index } of asked) verdicts[index] = parseBinary(map?.[`idx_${index}`]);
  }
  return { verdicts, outage: session.outage(), calls: session.usage.calls };
}
