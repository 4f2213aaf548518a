import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { extractBoxed, visibleText } from '../../domain/agents/answer.ts';
import { invalidInput, WideseekError } from '../../domain/errors.ts';

/** A stored answer. */
export interface ResponseRecord {
  /** `file:line`, for messages. */
  where: string;
  question: string;
  /** Null: the model answered nothing. */
  text: string | null;
  trial: number;
}

const recordSchema = z
  .looseObject({
    instance_id: z.union([z.string(), z.number()]).transform(String),
    trial_idx: z.number().int().nonnegative().optional(),
    response: z.string().nullish(),
    final_answer_text: z.string().nullish(),
  })
  .refine((value) => 'response' in value || 'final_answer_text' in value, {
    path: ['response'],
    message: 'is missing (`response` or `final_answer_text`)',
  });

/**
 * Answers in the published formats (widesearch-eval 2.2, wideseek 6.8): JSON Lines, one pretty-printed object per file, or
 * a folder of such files. Records without `trial_idx` are counted per question. Throws `InvalidInput` naming file, line
 * and field, `NotFound` for a path that does not exist.
 */
export async function readResponses(path: string): Promise<ResponseRecord[]> {
  const found = await stat(path).catch(() => undefined);
  if (!found) throw new WideseekError('NotFound', `there is no file or folder ${path}`);
  const files = found.isDirectory()
    ? (await readdir(path))
        .filter((name) => /\.jsonl?$/.test(name))
        .sort()
        .map((name) => join(path, name))
    : [path];
  const counts = new Map<string, number>();
  const records: ResponseRecord[] = [];
  for (const file of files) {
    for (const { where, value } of readObjects(file, await readFile(file, 'utf8'))) {
      const parsed = recordSchema.safeParse(value);
      if (!parsed.success) {
        const issue = parsed.error.issues[0];
        throw invalidInput(`${where}: ${issue?.path.join('.') ?? ''}`, issue?.message ?? 'is no response');
      }
      const { instance_id: question, trial_idx, response, final_answer_text } = parsed.data;
      const trial = trial_idx ?? counts.get(question) ?? 0;
      counts.set(question, (counts.get(question) ?? 0) + 1);
      records.push({ where, question, trial, text: response ?? final_answer_text ?? null });
    }
  }
  if (records.length === 0) throw invalidInput('FILE', `${path} holds no responses`);
  return records;
}

/** JSON Lines, or one object spread over lines. A line that is no JSON is an error, also a cut last one. */
export function readObjects(file: string, content: string): { where: string; value: unknown }[] {
  const text = content.replace(/^\uFEFF/, '');
  const lines = text.split('\n');
  const filled = lines.flatMap((line, index) =>
    line.trim() === '' ? [] : [{ line, where: `${file}:${index + 1}` }],
  );
  if (filled.length > 1 && filled[0]?.line.trim() === '{') {
    try {
      return [{ where: `${file}:1`, value: JSON.parse(text) as unknown }];
    } catch (cause) {
      throw invalidInput(`${file}:1`, `is not JSON: ${(cause as Error).message}`);
    }
  }
  return filled.map(({ line, where }) => {
    try {
      return { where, value: JSON.parse(line) as unknown };
    } catch {
      throw invalidInput(where, 'is not JSON', 'One object per line; the last line may have been cut');
    }
  });
}

/** The short answer in a response: what is boxed, else the last answer tag, else all that is not thinking. */
export function shortAnswer(response: string | null): string | null {
  if (response === null) return null;
  const tagged = [...response.matchAll(/<answer>([\s\S]*?)<\/answer>/g)].at(-1)?.[1];
  const text = extractBoxed(response) ?? tagged ?? visibleText(response);
  return text.trim() === '' ? null : text.trim();
}
