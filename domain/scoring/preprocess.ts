import { normaliseKey } from '../tables/keys.ts';
import { isoDate } from './dates/calendar.ts';
import { parseDate } from './dates/parse.ts';
import type { Cell } from './missing.ts';
import { extractNumber } from './numbers.ts';
import type { PreprocessName } from './record.ts';

/** Applies a column's functions left to right (section 6, FIX-10 to FIX-12). Missing stays missing. */
export function preprocessCell(cell: Cell, functions: readonly PreprocessName[]): Cell {
  let current = cell;
  for (const name of functions) {
    if (current === null) return null;
    current = FUNCTIONS[name](current);
  }
  return current;
}

const FUNCTIONS: Record<PreprocessName, (text: string) => Cell> = {
  norm_str: normaliseKey,
  extract_number: extractNumber,
  norm_date: (text) => {
    const parsed = parseDate(text);
    if (parsed === null) return text;
    return parsed.kind === 'year' ? String(parsed.year).padStart(4, '0') : isoDate(parsed.date);
  },
};
