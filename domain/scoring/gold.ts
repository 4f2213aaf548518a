import type { Table } from '../run.ts';
import { normaliseHeader } from '../tables/keys.ts';
import { readDelimited } from './csv.ts';

/**
 * Gold table of a record: cells are text (FIX-1, FIX-5), columns reduced to the required ones in their order.
 * A problem is a sentence for the report; gold that cannot be used is never dropped silently.
 */
export function readGold(csv: string, required: readonly string[]): { table: Table } | { problem: string } {
  const { rows, openQuote } = readDelimited(csv, ',');
  if (openQuote) return { problem: 'gold CSV: a quoted field is never closed' };
  const [header, ...body] = rows;
  if (header === undefined) return { problem: 'gold CSV: is empty' };
  const names = header.map(normaliseHeader);
  const missing = required.filter((name) => !names.includes(normaliseHeader(name)));
  if (missing.length > 0) return { problem: `gold CSV: required column "${missing.join('", "')}" is absent` };
  const long = body.findIndex((row) => row.slice(header.length).some((cell) => cell.trim() !== ''));
  if (long >= 0) return { problem: `gold CSV: data row ${long + 1} has more cells than the header` };
  const positions = required.map((name) => names.indexOf(normaliseHeader(name)));
  return {
    table: {
      columns: required.map(normaliseHeader),
      rows: body.map((row) => positions.map((position) => (row[position] ?? '').trim())),
    },
  };
}
