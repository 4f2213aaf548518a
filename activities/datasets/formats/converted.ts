import type { z } from 'zod';
import type { EvalQuestion } from '../question.ts';

/** What became of one record. `skipped`: well formed, and not meant to be asked. */
export type Converted =
  | { question: EvalQuestion; warnings: string[] }
  | { problems: string[]; id: string | null }
  | { skipped: string; id: string | null };

export interface RecordContext {
  /** Counts records of the file from 0. */
  index: number;
  /** Absolute path of the file, for what lies beside it. */
  file: string;
  split: string | undefined;
}

/** Turns one record of a published file into a question. Never throws for what is wrong with the record. */
export type Convert = (value: Record<string, unknown>, context: RecordContext) => Promise<Converted>;

/** One line per complaint of zod, with the field's path. */
export const complaints = (error: z.ZodError): string[] =>
  error.issues.map(({ path, message }) => `${path.join('.') || 'the record'}: ${message}`);

/** The first of some field names that holds something. */
export const pick = (value: Record<string, unknown>, names: readonly string[]): unknown =>
  names.map((name) => value[name]).find((found) => found !== undefined && found !== null && found !== '');

/** A record's own id as text, else the number of the record. */
export function idOf(value: Record<string, unknown>, names: readonly string[], index: number): string {
  const found = pick(value, names);
  return typeof found === 'string' || typeof found === 'number' ? String(found) : String(index);
}
