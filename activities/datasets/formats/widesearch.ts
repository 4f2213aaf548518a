import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { evalRecordSchema } from '../../../domain/scoring/record.ts';
import { checkTable } from '../check-gold.ts';
import { languageOf } from '../language.ts';
import { evalQuestionSchema } from '../question.ts';
import { readText } from '../rows.ts';
import { complaints, type Convert } from './converted.ts';

/** Folders beside the records file that may hold the gold tables. */
const GOLD_FOLDERS = ['widesearch_gold', 'gold', '.'];

const nameSchema = /^[\w.-]+$/;

/**
 * A WideSearch record (widesearch-eval 2): `instance_id`, `query`, `evaluation` as an object or as JSON text, and gold in
 * `<folder>/<instance_id>.csv` beside the records.
 */
export const convertWideSearch: Convert = async (value, { file, split }) => {
  const parsed = evalRecordSchema.safeParse(value);
  const id = typeof value.instance_id === 'string' ? value.instance_id : null;
  if (!parsed.success) return { id, problems: complaints(parsed.error) };
  const record = { ...parsed.data };
  const name = record.instance_id;
  if (!nameSchema.test(name) || name.startsWith('.')) {
    return { id, problems: ['instance_id: is not usable as a file name'] };
  }
  record.language = languageOf({ language: value.language, id: name, question: record.query });
  const gold = await findGold(dirname(file), name);
  if (gold === null)
    return { id, problems: [`gold: there is no ${GOLD_FOLDERS[0]}/${name}.csv beside the records`] };
  const goldCsv = await readText(gold);
  const { problems, warnings } = checkTable(record, goldCsv);
  if (problems.length > 0) return { id, problems };
  const question = evalQuestionSchema.safeParse({
    id: name,
    question: record.query,
    language: record.language,
    split: typeof value.split === 'string' ? value.split : split,
    kind: 'table',
    record,
    goldCsv,
  });
  return question.success
    ? { question: question.data, warnings }
    : { id, problems: complaints(question.error) };
};

async function findGold(folder: string, id: string): Promise<string | null> {
  for (const name of GOLD_FOLDERS) {
    const path = join(folder, name, `${id}.csv`);
    if ((await stat(path).catch(() => undefined))?.isFile()) return path;
  }
  return null;
}
