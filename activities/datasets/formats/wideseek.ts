import { stringify } from 'csv-stringify/sync';
import { z } from 'zod';
import { type EvalRecord, evalRecordSchema } from '../../../domain/scoring/record.ts';
import { normaliseHeader } from '../../../domain/tables/keys.ts';
import { extractTable } from '../../../domain/tables/markdown.ts';
import { checkTable } from '../check-gold.ts';
import { languageOf } from '../language.ts';
import { evalQuestionSchema } from '../question.ts';
import { complaints, type Convert, idOf, pick } from './converted.ts';
import { convertQa } from './qa.ts';

const jsonText = (value: unknown): unknown => {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
};

const tableSchema = z.object({
  answer: z.string('must be a Markdown table as text'),
  unique_columns: z.array(z.string()),
  evaluation: z.preprocess(
    jsonText,
    z
      .looseObject({ required: z.array(z.string()).nullish(), eval_pipeline: z.unknown().optional() })
      .nullish(),
  ),
});

/**
 * A record of a WideSeek file (wideseek 5.1): a table question with gold as Markdown, or a QA record where
 * `is_markdown` is false or there are no `unique_columns`. Without `evaluation.required` all gold columns are scored;
 * without a pipeline every column is judged by meaning, as in training (wideseek 3.3).
 */
export const convertWideSeek: Convert = async (value, context) => {
  const isTable = value.is_markdown === true || Array.isArray(value.unique_columns);
  if (value.is_markdown === false || !isTable) return convertQa(value, context);
  const id = idOf(value, ['instance_id', 'id'], context.index);
  const parsed = tableSchema.safeParse(value);
  if (!parsed.success) return { id, problems: complaints(parsed.error) };
  const gold = extractTable(parsed.data.answer);
  if (gold === null) return { id, problems: ['answer: holds no Markdown table'] };

  const { evaluation, unique_columns: keys } = parsed.data;
  const required = evaluation?.required?.length ? evaluation.required : gold.columns;
  const names = required.map(normaliseHeader);
  const question = pick(value, ['question', 'query', 'prompt']);
  const text = typeof question === 'string' ? question : '';
  const language = languageOf({ language: value.language, id, question: text });
  const record = evalRecordSchema.safeParse({
    instance_id: id,
    query: text,
    language,
    evaluation: {
      required: names,
      unique_columns: keys.map(normaliseHeader),
      eval_pipeline: evaluation?.eval_pipeline ?? judged(names),
    },
  });
  if (!record.success) return { id, problems: complaints(record.error) };
  const goldCsv = stringify([gold.columns, ...gold.rows]);
  const { problems, warnings } = checkTable(record.data, goldCsv);
  if (problems.length > 0) return { id, problems };
  const made = evalQuestionSchema.safeParse({
    id,
    question: text,
    language,
    split: context.split,
    kind: 'table',
    record: record.data,
    goldCsv,
    table: { columns: gold.columns, rows: gold.rows },
  });
  return made.success ? { question: made.data, warnings } : { id, problems: complaints(made.error) };
};

const judged = (names: readonly string[]): EvalRecord['evaluation']['eval_pipeline'] =>
  Object.fromEntries(names.map((name) => [name, { preprocess: ['norm_str'], metric: ['llm_judge'] }]));
