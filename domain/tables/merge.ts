import type { Table } from '../run.ts';
import { normaliseHeader, normaliseKey, tupleKey } from './keys.ts';

/**
 * One table out of many: the union of their columns (compared by normalised header), rows joined where their
 * normalised key is equal, the first non-empty cell winning, everything in order of first appearance. The key is
 * `keyColumns`, or the first column when none of them exists. Rows without a key join only their exact copies.
 * Idempotent, linear in the number of cells.
 */
export function mergeTables(tables: readonly Table[], keyColumns: readonly string[] = []): Table {
  const positions = new Map<string, number>();
  const columns: string[] = [];
  for (const name of tables.flatMap((table) => table.columns)) {
    if (positions.has(normaliseHeader(name))) continue;
    positions.set(normaliseHeader(name), columns.length);
    columns.push(name.trim());
  }
  const named = keyColumns.flatMap((name) => positions.get(normaliseHeader(name)) ?? []);
  const keys = named.length > 0 ? named : [0];
  const merged = new Map<string, string[]>();
  for (const table of tables) {
    const targets = table.columns.map((name) => positions.get(normaliseHeader(name)) ?? 0);
    for (const cells of table.rows) {
      const row = columns.map(() => '');
      fillBlanks(row, cells, targets);
      const parts = keys.map((index) => normaliseKey(row[index] ?? ''));
      const key = parts.some((part) => part !== '') ? tupleKey(['key', ...parts]) : tupleKey(['row', ...row]);
      const existing = merged.get(key);
      if (existing === undefined) merged.set(key, row);
      else fillBlanks(existing, row);
    }
  }
  return { columns, rows: [...merged.values()].filter((row) => row.some((cell) => cell !== '')) };
}

function fillBlanks(row: string[], cells: readonly string[], targets?: readonly number[]): void {
  cells.forEach((cell, index) => {
    const target = targets === undefined ? index : targets[index];
    if (target !== undefined && row[target] === '') row[target] = cell.trim();
  });
}
