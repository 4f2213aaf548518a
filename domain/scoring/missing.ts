/** Texts that the reference's reader takes for an empty cell (section 5.2). */
export const BLANK_WORDS = [
  '',
  '#N/A',
  '#N/A N/A',
  '#NA',
  '-1.#IND',
  '-1.#QNAN',
  '-NaN',
  '-nan',
  '1.#IND',
  '1.#QNAN',
  '<NA>',
  'N/A',
  'NA',
  'NULL',
  'NaN',
  'None',
  'n/a',
  'nan',
  'null',
] as const;

const FOLDED: ReadonlySet<string> = new Set(BLANK_WORDS.map((word) => word.toLowerCase()));

/** A cell of the default evaluator: null is missing, which equals only missing. */
export type Cell = string | null;

/** FIX-6: blank words in any letter case are missing; in key columns (`NA` is Namibia) only the empty cell is. */
export function toCell(text: string, isKey: boolean): Cell {
  const trimmed = text.trim();
  return trimmed === '' || (!isKey && FOLDED.has(trimmed.toLowerCase())) ? null : text;
}
