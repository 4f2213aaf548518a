import type { Convert } from './converted.ts';
import { convertQa } from './qa.ts';
import { convertWideSearch } from './widesearch.ts';
import { convertWideSeek } from './wideseek.ts';

/** Reads a record by what it holds: a recipe without an answer is WideSearch, key columns are WideSeek, else QA. */
export const convertAny: Convert = (value, context) => {
  const hasAnswer = value.answer !== undefined && value.answer !== null;
  if (value.evaluation !== undefined && !hasAnswer) return convertWideSearch(value, context);
  if (value.is_markdown === true || Array.isArray(value.unique_columns))
    return convertWideSeek(value, context);
  return convertQa(value, context);
};
