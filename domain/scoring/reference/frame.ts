import type { Table } from '../../run.ts';
import { readDelimited } from '../csv.ts';
import { inferColumn } from './dtypes.ts';
import { raise } from './text.ts';

/**
 * Delimited text as the reference's reader sees it (5.1, 5.4): a first data row wider than the header shifts the
 * columns, a later wider row is an error, short rows are padded, columns are typed and printed back as text. `blanks: 'text'`
 * is its mode without blank words.
 */
export function readFrame(text: string, separator: string, blanks: 'missing' | 'text' = 'missing'): Table {
  const { rows, openQuote } = readDelimited(text, separator);
  if (openQuote) raise('ParserError', 'EOF inside string');
  const [header, ...body] = rows;
  if (header === undefined) raise('EmptyDataError', 'No columns to parse from file');
  const width = Math.max(header.length, body[0]?.length ?? 0);
  const wide = body.findIndex((row) => row.length > width);
  if (wide >= 0)
    raise('ParserError', `Expected ${width} fields in line ${wide + 2}, saw ${body[wide]?.length}`);
  const shift = width - header.length;
  const names = mangle(header);
  const columns = names.map((_, index) =>
    inferColumn(
      body.map((row) => row[index + shift] ?? ''),
      blanks,
    ),
  );
  const kept = names.flatMap((name, index) => (name.startsWith('Unnamed') ? [] : [index]));
  return {
    columns: kept.map((index) => names[index] ?? ''),
    rows: body.map((_, row) => kept.map((index) => columns[index]?.[row] ?? '')),
  };
}

/** Blank names become `Unnamed: n`, repeated ones get `.1`, `.2`, … */
function mangle(header: readonly string[]): string[] {
  const names = header.map((name, index) => (name === '' ? `Unnamed: ${index}` : name));
  const counts = new Map<string, number>();
  return names.map((name) => {
    let current = name;
    let count = counts.get(name) ?? 0;
    while (count > 0) {
      counts.set(name, count + 1);
      current = `${name}.${count}`;
      count = names.includes(current) ? count + 1 : (counts.get(current) ?? 0);
    }
    counts.set(current, count + 1);
    return current;
  });
}
