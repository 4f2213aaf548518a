import { stringify } from 'csv-stringify/sync';
import type { SeekResult } from '../../domain/run.ts';
import { sourcesOf } from './sources.ts';

const NUMBER = /^[-+]?(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?%?$/;

/**
 * Spreadsheets run cells that start with `=`, `+`, `-`, `@`, a tab or a carriage return. Such cells get an apostrophe in
 * front; plain numbers such as `-5.2` stay as they are.
 */
export const neutralised = (cell: string): string =>
  /^\s*[=+\-@\t\r＝＋－＠]|^[\t\r\n]/u.test(cell) && !NUMBER.test(cell.trim()) ? `'${cell}` : cell;

/** A column name that the table does not have yet. */
const freeName = (wanted: string, taken: Set<string>): string => {
  let name = wanted;
  for (let count = 2; taken.has(name); count += 1) name = `${wanted} ${count}`;
  taken.add(name);
  return name;
};

/**
 * A result as CSV: UTF-8 with a byte order mark, CRLF lines, cells that a spreadsheet would run made harmless. With `evidence`
 * each column is followed by `<column> source` and `<column> quote`, both empty where nothing supports the cell.
 * A single answer is a table with the column `answer`.
 */
export const formatCsv = (result: SeekResult, evidence: boolean): string => {
  const table = result.table ?? { columns: ['answer'], rows: [[result.answer]] };
  const sources = sourcesOf(result);
  const taken = new Set(table.columns);
  const header = table.columns.flatMap((column) =>
    evidence ? [column, freeName(`${column} source`, taken), freeName(`${column} quote`, taken)] : [column],
  );
  const rows = table.rows.map((row, at) =>
    table.columns.flatMap((_, column) => {
      const cell = row[column] ?? '';
      if (!evidence) return [cell];
      const found = sources.of(at, column);
      return found?.status === 'supported' ? [cell, found.url, found.quote] : [cell, '', ''];
    }),
  );
  return stringify(
    [header, ...rows].map((row) => row.map(neutralised)),
    { bom: true, record_delimiter: '\r\n' },
  );
};
