import type { Table } from '../run.ts';
import { normaliseHeader } from '../tables/keys.ts';
import { askAlignment } from './judge/ask.ts';
import type { Asking } from './judge/request.ts';

export interface ColumnFit {
  /** The answer with the required columns only, in their order; null where the sets differ. */
  table: Table | null;
  /** Required columns the answer lacks (lenient mode scores their cells as wrong). */
  absent: Set<string>;
  notes: string[];
  incomplete: boolean;
  outage: string | null;
}

/**
 * Section 4 with FIX-3 and FIX-4: names compared as sets after normalisation, one alignment for the rest, then equal
 * sets or a mismatch. `lenient` drops surplus columns and tolerates missing non-key ones.
 */
export function* fitColumns(
  answer: Table,
  required: readonly string[],
  keys: readonly string[],
  lenient: boolean,
): Asking<ColumnFit> {
  const named = answer.columns
    .map((name, index) => ({ name: normaliseHeader(name), index }))
    .filter(({ name }) => name !== '');
  const positions = new Map<string, number>();
  let duplicates = 0;
  for (const { name, index } of named) {
    if (positions.has(name)) duplicates += 1;
    else positions.set(name, index);
  }
  const wanted = new Set(required);
  const strangers = [...positions.keys()].filter((name) => !wanted.has(name));
  const open = required.filter((name) => !positions.has(name));
  const notes: string[] = [];
  let incomplete = false;
  let outage: string | null = null;
  if (strangers.length > 0 && open.length > 0) {
    const asked = yield* askAlignment('align:columns', strangers, open);
    ({ incomplete, outage } = asked);
    for (const [source, target] of asked.value) {
      positions.set(target, positions.get(source) ?? 0);
      positions.delete(source);
      notes.push(`column "${source}" read as "${target}"`);
    }
  }
  const surplus = [...positions.keys()].filter((name) => !wanted.has(name));
  const absent = new Set(required.filter((name) => !positions.has(name)));
  if (surplus.length > 0) notes.push(`surplus columns: ${surplus.join(', ')}`);
  if (duplicates > 0) notes.push(`${duplicates} column names occur twice`);
  if (absent.size > 0) notes.push(`missing columns: ${[...absent].join(', ')}`);
  const exact = surplus.length === 0 && duplicates === 0 && absent.size === 0;
  const usable = exact || (lenient && !keys.some((key) => absent.has(key)));
  const rows = answer.rows.map((row) => required.map((name) => row[positions.get(name) ?? -1] ?? ''));
  return { table: usable ? { columns: [...required], rows } : null, absent, notes, incomplete, outage };
}
