import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { parse } from 'csv-parse/sync';
import { WideseekError } from '../../domain/errors.ts';

/** One record of a file as it stands there. `where` is `file:line`, or `file[3]` in a JSON list. */
export interface Row {
  where: string;
  /** Counts records from 0. */
  index: number;
  value: Record<string, unknown>;
}

/** A record that cannot be used, and why. */
export interface BrokenRecord {
  where: string;
  /** Null where the record does not say. */
  id: string | null;
  problems: string[];
}

export const isBroken = (row: Row | BrokenRecord): row is BrokenRecord => 'problems' in row;

/**
 * Records of a `.jsonl`, `.json` (a list), `.csv` or `.tsv` file; a byte order mark is accepted. A line that cannot be
 * read is returned as broken and the others go on. Throws `NotFound` without the file, `InvalidInput` for a file that is
 * no such list at all.
 */
export async function readRows(file: string): Promise<(Row | BrokenRecord)[]> {
  const text = await readText(file);
  switch (extname(file).toLowerCase()) {
    case '.jsonl':
    case '.ndjson':
      return readLines(file, text);
    case '.json':
      return readList(file, text);
    case '.csv':
      return readDelimited(file, text, ',');
    case '.tsv':
      return readDelimited(file, text, '\t');
    default:
      throw new WideseekError('InvalidInput', `${file}: cannot be read as a data set`, {
        hint: 'Known endings: .jsonl, .json, .csv, .tsv',
      });
  }
}

/** A text file without its byte order mark. Throws `NotFound`. */
export async function readText(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).replace(/^\uFEFF/, '');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new WideseekError('NotFound', `there is no readable file ${file} (${code ?? 'unknown error'})`, {
      cause,
    });
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function readLines(file: string, text: string): (Row | BrokenRecord)[] {
  const rows: (Row | BrokenRecord)[] = [];
  const lines = text.split('\n');
  for (const [number, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const where = `${file}:${number + 1}`;
    const cut = number === lines.length - 1;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      const problem = cut ? 'is not JSON and has no line end: a cut file?' : 'is not JSON';
      rows.push({ where, id: null, problems: [problem] });
      continue;
    }
    if (isRecord(value)) rows.push({ where, index: rows.length, value });
    else rows.push({ where, id: null, problems: ['is not a JSON object'] });
  }
  return rows;
}

function readList(file: string, text: string): (Row | BrokenRecord)[] {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch (cause) {
    throw new WideseekError('InvalidInput', `${file}: is not JSON: ${(cause as Error).message}`, { cause });
  }
  if (!Array.isArray(list)) {
    throw new WideseekError('InvalidInput', `${file}: is not a list of records`, {
      hint: 'A file with one object per line must end in .jsonl',
    });
  }
  return list.map((value: unknown, index) => {
    const where = `${file}[${index}]`;
    return isRecord(value)
      ? { where, index, value }
      : { where, id: null, problems: ['is not a JSON object'] };
  });
}

function readDelimited(file: string, text: string, delimiter: string): (Row | BrokenRecord)[] {
  try {
    const found: { record: Record<string, unknown>; info: { lines: number } }[] = parse(text, {
      delimiter,
      columns: true,
      info: true,
      relax_quotes: true,
      relax_column_count: true,
      skip_empty_lines: true,
    });
    return found.map(({ record, info }, index) => ({ where: `${file}:${info.lines}`, index, value: record }));
  } catch (cause) {
    throw new WideseekError('InvalidInput', `${file}: ${(cause as Error).message}`, { cause });
  }
}
