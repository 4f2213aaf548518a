import { stripMarkup } from './markup.ts';

/** Column name as it is compared: trimmed, lower-cased, without ASCII spaces (the evaluator's rule for both sides). */
export const normaliseHeader = (name: string): string => name.trim().toLowerCase().replaceAll(' ', '');

/**
 * Text as it is compared when spelling should not matter: NFKC, markup stripped, lower-cased, without white space
 * and asterisks (FIX-10). `**New York**`, `new york` and `[New York](…)` are one key.
 */
export const normaliseKey = (text: string): string =>
  stripMarkup(text.normalize('NFKC'))
    .toLowerCase()
    .replace(/[\s\u0085*]+/g, '');

/** One string per tuple of parts, different for different tuples whatever they contain. */
export const tupleKey = (parts: readonly string[]): string => JSON.stringify(parts);

/** True where both name the same set of columns after header normalisation; columns without a name do not count. */
export function sameColumns(left: readonly string[], right: readonly string[]): boolean {
  const a = namesOf(left);
  const b = namesOf(right);
  return a.size === b.size && [...a].every((name) => b.has(name));
}

const namesOf = (columns: readonly string[]): Set<string> =>
  new Set(columns.map(normaliseHeader).filter((name) => name !== ''));
