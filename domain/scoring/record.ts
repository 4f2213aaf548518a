import { z } from 'zod';
import { invalidInput } from '../errors.ts';
import { normaliseHeader } from '../tables/keys.ts';

export const PREPROCESS_NAMES = ['norm_str', 'extract_number', 'norm_date'] as const;
export type PreprocessName = (typeof PREPROCESS_NAMES)[number];

export const METRIC_FUNCTION_NAMES = [
  'exact_match',
  'in_match',
  'number_near',
  'date_near',
  'url_match',
  'llm_judge',
] as const;
export type MetricName = (typeof METRIC_FUNCTION_NAMES)[number];

const stepSchema = z.object({
  preprocess: z.array(z.string()).default([]),
  metric: z.array(z.string()).default([]),
  /** A tolerance for `number_near`, a text for `llm_judge`. */
  criterion: z.unknown().optional(),
});
export type PipelineStep = z.infer<typeof stepSchema>;

const evaluationSchema = z.object({
  required: z.array(z.string()).min(1, 'must name at least one column'),
  unique_columns: z.array(z.string()),
  eval_pipeline: z.record(z.string(), stepSchema).default({}),
});

/** A WideSearch record (section 2); `evaluation` may be an object or a string that holds its JSON. */
export const evalRecordSchema = z.object({
  instance_id: z.string(),
  query: z.string().default(''),
  language: z.enum(['en', 'zh']).default('en'),
  evaluation: z.preprocess(parseIfText, evaluationSchema),
});
export type EvalRecord = z.infer<typeof evalRecordSchema>;

function parseIfText(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

/**
 * Reads a record from a data set file.
 * @throws WideseekError InvalidInput naming the record and the field.
 */
export function parseEvalRecord(value: unknown, where = 'record'): EvalRecord {
  const parsed = evalRecordSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw invalidInput(
    `${where}.${issue?.path.join('.') ?? ''}`,
    issue?.message ?? 'is not a WideSearch record',
  );
}

/**
 * FIX-9: what is wrong with a record's recipe. `errors` make it impossible to score; `warnings` are repaired
 * (a step for a column that does not exist is ignored, a missing criterion is tolerance 0).
 */
export function checkRecord(record: EvalRecord): { errors: string[]; warnings: string[] } {
  const { required, unique_columns: keys, eval_pipeline: pipeline } = record.evaluation;
  const errors: string[] = [];
  const warnings: string[] = [];
  const known = new Set(required.map(normaliseHeader));
  if (known.size !== required.length)
    errors.push('evaluation.required: two columns have the same normalised name');
  if (keys.length === 0) errors.push('evaluation.unique_columns: names no column, so rows cannot be joined');
  for (const key of keys) {
    if (!known.has(normaliseHeader(key)))
      errors.push(`evaluation.unique_columns: "${key}" is not a required column`);
  }
  for (const name of [...required, ...keys]) {
    if (name !== normaliseHeader(name))
      warnings.push(`evaluation: column "${name}" is not in normalised form`);
  }
  for (const [column, step] of Object.entries(pipeline)) {
    if (!known.has(normaliseHeader(column))) {
      warnings.push(`evaluation.eval_pipeline: "${column}" is not a required column; its step is ignored`);
      continue;
    }
    for (const name of step.preprocess) {
      if (!isOneOf(PREPROCESS_NAMES, name))
        errors.push(`eval_pipeline.${column}.preprocess: unknown function "${name}"`);
    }
    for (const name of step.metric) {
      if (!isOneOf(METRIC_FUNCTION_NAMES, name))
        errors.push(`eval_pipeline.${column}.metric: unknown function "${name}"`);
    }
    if (step.metric.includes('number_near') && toleranceOf(step.criterion) === null) {
      warnings.push(`eval_pipeline.${column}.criterion: no number for number_near; tolerance 0 is used`);
    }
  }
  return { errors, warnings };
}

/** Narrows a name from a file to one of the known ones. */
export function isOneOf<T extends string>(names: readonly T[], name: string): name is T {
  return (names as readonly string[]).includes(name);
}

/** FIX-14: a non-negative number, also written as text; null where there is none. */
export function toleranceOf(criterion: unknown): number | null {
  const value = typeof criterion === 'string' && criterion.trim() !== '' ? Number(criterion) : criterion;
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
}
