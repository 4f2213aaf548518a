import type { Column, Language } from './columns.ts';
import type { WideRecord } from './shape.ts';

/** A wide question before it is put into words; each language with a `lead` gives one question. */
export interface WideSpec<T> {
  topic: string;
  kind: WideRecord['kind'];
  /** The first sentences: which rows are wanted. */
  lead: Partial<Record<Language, string>>;
  rows: readonly T[];
  /** Key columns first. */
  columns: readonly Column<T>[];
  /** The whole question, where its wording is fixed. */
  fixed?: Partial<Record<Language, string>>;
}

/** The columns among `candidates` for which every row has a value, at most `count` of them from `start` on. */
export function filledColumns<T>(
  rows: readonly T[],
  candidates: readonly Column<T>[],
  start: number,
  count: number,
): Column<T>[] {
  const filled = candidates.filter((column) => rows.every((row) => column.values(row, 'en').length > 0));
  return Array.from(
    { length: Math.min(count, filled.length) },
    (_, index) => filled[(start + index) % filled.length] as Column<T>,
  );
}
