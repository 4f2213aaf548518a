import type { Table } from '../run.ts';
import { tupleKey } from '../tables/keys.ts';
import { askAlignment } from './judge/ask.ts';
import type { Asking } from './judge/request.ts';
import type { Cell } from './missing.ts';
import { toCell } from './missing.ts';
import { canonicalDecimal } from './numbers.ts';
import type { ColumnPlan } from './plan.ts';
import { preprocessCell } from './preprocess.ts';

/** A row after preprocessing: one cell per required column, and its key. */
export interface KeyedRow {
  key: Cell[];
  cells: Cell[];
}

export interface Join {
  pairs: { answer: KeyedRow; gold: KeyedRow }[];
  /** After de-duplication on the final key. */
  answerRows: number;
  goldRows: number;
  missing: string[][];
  surplus: string[][];
  notes: string[];
  incomplete: boolean;
  outage: string | null;
}

/** Above this the aligner is only shown gold values that no answer value equals; below, all of them. */
const REFERENCE_LIMIT = 200;
/** A list of unmatched gold values beyond this fits no judge's prompt; those keys are joined as text only. */
const ALIGNABLE = 2_000;

/**
 * Section 5.3, 7 and 10.1: de-duplicates on the raw key, aligns key values column by column, preprocesses, de-duplicates
 * on the final key (FIX-7) and joins, so that every gold row meets at most one answer row.
 */
export function* joinTables(answer: Table, gold: Table, plan: readonly ColumnPlan[]): Asking<Join> {
  const keys = plan.flatMap((column, index) => (column.isKey ? [index] : []));
  const left = firstPerKey(toCells(gold, plan), (row) => keys.map((index) => row[index] ?? null));
  const right = firstPerKey(toCells(answer, plan), (row) => keys.map((index) => row[index] ?? null));
  let incomplete = false;
  let outage: string | null = null;
  const notes: string[] = [];
  const maps = new Map<number, Map<string, string>>();
  for (const index of keys) {
    const column = plan[index];
    if (column === undefined || !isAligned(column)) continue;
    const asked = yield* alignKeyColumn(
      column,
      right.map((row) => row[index] ?? null),
      left.map((row) => row[index] ?? null),
    );
    maps.set(index, asked.value);
    incomplete ||= asked.incomplete;
    outage ??= asked.outage;
    for (const [source, target] of asked.value) notes.push(`key "${source}" read as "${target}"`);
  }
  const finish = (rows: Cell[][], mapped: boolean): KeyedRow[] => {
    const keyed = rows.map((row) => {
      const cells = row.map((cell, index) => {
        const column = plan[index];
        const target = mapped && cell !== null ? (maps.get(index)?.get(cell) ?? cell) : cell;
        return column === undefined ? target : preprocessCell(target, column.preprocess);
      });
      return { cells, key: keys.map((index) => finalKey(cells[index] ?? null, plan[index])) };
    });
    return firstPerKey(keyed, (row) => row.key);
  };
  const goldRows = finish(left, false);
  const answerRows = finish(right, true);
  if (goldRows.length < left.length) notes.push('gold: keys that are equal after preprocessing were merged');
  return { ...match(answerRows, goldRows), notes, incomplete, outage };
}

function match(answerRows: KeyedRow[], goldRows: KeyedRow[]): Omit<Join, 'notes' | 'incomplete' | 'outage'> {
  const byKey = new Map(answerRows.map((row) => [keyText(row.key), row]));
  const pairs: Join['pairs'] = [];
  const missing: string[][] = [];
  for (const gold of goldRows) {
    const answer = byKey.get(keyText(gold.key));
    if (answer === undefined) missing.push(gold.key.map((cell) => cell ?? ''));
    else pairs.push({ answer, gold });
  }
  const goldKeys = new Set(goldRows.map((row) => keyText(row.key)));
  const surplus = answerRows
    .filter((row) => !goldKeys.has(keyText(row.key)))
    .map((row) => row.key.map((cell) => cell ?? ''));
  return { pairs, answerRows: answerRows.length, goldRows: goldRows.length, missing, surplus };
}

/** Rule 7.2: keys are aligned where the column's metrics hold one that compares meaning or text. */
const isAligned = (column: ColumnPlan): boolean =>
  column.metrics.includes('exact_match') || column.metrics.includes('llm_judge');

/** Asks only about answer values that equal no gold value after preprocessing; those that do are never remapped (FIX-13). */
function* alignKeyColumn(column: ColumnPlan, answer: Cell[], gold: Cell[]): ReturnType<typeof askAlignment> {
  const final = (cell: Cell): Cell => finalKey(preprocessCell(cell, column.preprocess), column);
  const goldValues = distinct(gold);
  const goldFinal = new Set(goldValues.map(final));
  const open = distinct(answer).filter((value) => !goldFinal.has(final(value)));
  if (open.length === 0 || goldValues.length === 0)
    return { value: new Map(), incomplete: false, outage: null };
  const answered = new Set(answer.map(final));
  const reference =
    goldValues.length <= REFERENCE_LIMIT
      ? goldValues
      : goldValues.filter((value) => !answered.has(final(value)));
  const none = { value: new Map<string, string>(), outage: null };
  if (reference.length === 0 || reference.length > ALIGNABLE)
    return { ...none, incomplete: reference.length > 0 };
  return yield* askAlignment(`align:key:${column.name}`, open, reference);
}

/** Under `exact_match` trailing fractional zeros of plain decimals do not matter (section 12). */
const finalKey = (cell: Cell, column: ColumnPlan | undefined): Cell =>
  cell !== null && column?.metrics.includes('exact_match') === true ? canonicalDecimal(cell) : cell;

const distinct = (cells: readonly Cell[]): string[] => [...new Set(cells.filter((cell) => cell !== null))];

const keyText = (key: readonly Cell[]): string =>
  tupleKey(key.map((cell) => (cell === null ? '' : `=${cell}`)));

const toCells = (table: Table, plan: readonly ColumnPlan[]): Cell[][] =>
  table.rows.map((row) => plan.map((column, index) => toCell(row[index] ?? '', column.isKey)));

function firstPerKey<T>(rows: readonly T[], keyOf: (row: T) => readonly Cell[]): T[] {
  const seen = new Map<string, T>();
  for (const row of rows) {
    const key = keyText(keyOf(row));
    if (!seen.has(key)) seen.set(key, row);
  }
  return [...seen.values()];
}
