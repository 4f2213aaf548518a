import type { Table } from '../run.ts';
import { isDelimiterRow, literalCell, parseCell, printCell, splitRow } from './cells.ts';
import { normaliseHeader, sameColumns, tupleKey } from './keys.ts';
import { splitRegions } from './regions.ts';
import type { Region } from './regions.ts';

/** A table found in a text and where it stood. */
export interface FoundTable extends Table {
  fenced: boolean;
}

export interface ParseOptions {
  /** `decoded` (default): the inverse of `printMarkdown`. `literal`: only `\|` is an escape, `<br>` stays (the evaluator's reading). */
  cells?: 'decoded' | 'literal';
}

/**
 * A GFM table with outer pipes. `parseMarkdownTables(printMarkdown(t))` is `[t]` for trimmed cells, at least one named
 * column, and rows that are neither blank nor a copy of the header.
 */
export function printMarkdown(table: Table): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    line(table.columns.map(printCell)),
    line(table.columns.map(() => '---')),
    ...table.rows.map((row) => line(table.columns.map((_, index) => printCell(row[index] ?? '')))),
  ].join('\n');
}

/** Every table in a text, in order of appearance (FIX-2, FIX-8). Never throws. */
export function parseMarkdownTables(text: string, options: ParseOptions = {}): FoundTable[] {
  const decode = options.cells === 'literal' ? literalCell : parseCell;
  return splitRegions(text).flatMap((region) =>
    blocksOf(region).flatMap((block) => readBlock(block, region, decode)),
  );
}

/**
 * The table an answer means (FIX-2). With wanted columns: the last one with exactly those, else the one with most of
 * them, else the largest. Without: the last fenced table, else the largest, the later of equals. Null where there is none.
 */
export function extractTable(
  text: string,
  wantedColumns?: readonly string[],
  options: ParseOptions = {},
): Table | null {
  const found = parseMarkdownTables(text, options);
  const rank = wantedColumns === undefined ? rankByPlace : rankByColumns(wantedColumns);
  let best: FoundTable | null = null;
  let bestRank: number[] = [];
  for (const [index, table] of found.entries()) {
    const candidate = [...rank(table, index), index];
    if (best !== null && compareRanks(candidate, bestRank) < 0) continue;
    best = table;
    bestRank = candidate;
  }
  return best === null ? null : { columns: best.columns, rows: best.rows };
}

const sizeOf = (table: Table): number => table.columns.length * (table.rows.length + 1);

const rankByPlace = (table: FoundTable, index: number): number[] =>
  table.fenced ? [table.rows.length > 0 ? 2 : 0, index] : [table.rows.length > 0 ? 1 : 0, sizeOf(table)];

function rankByColumns(wanted: readonly string[]): (table: FoundTable) => number[] {
  const names = new Set(wanted.map(normaliseHeader));
  return (table) => {
    if (sameColumns(table.columns, wanted)) return [table.rows.length > 0 ? 2 : 1];
    const common = new Set(table.columns.map(normaliseHeader).filter((name) => names.has(name))).size;
    return [0, common, sizeOf(table)];
  };
}

function compareRanks(left: readonly number[], right: readonly number[]): number {
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Consecutive lines of one table; `outer` is true where every line begins with a pipe. */
interface Block {
  rows: string[][];
  outer: boolean;
}

/** Runs of lines with a pipe, cut where a table of another width begins; inside a fence rejoined across blank lines. */
function blocksOf(region: Region): Block[] {
  const blocks: Block[] = [];
  let afterGap = true;
  const runs: { rows: string[][]; outer: boolean[] }[] = [];
  for (const line of region.lines) {
    const cells = splitRow(line);
    if (cells.length === 0) {
      afterGap = true;
      continue;
    }
    if (afterGap) runs.push({ rows: [], outer: [] });
    afterGap = false;
    runs.at(-1)?.rows.push(cells);
    runs.at(-1)?.outer.push(line.trimStart().startsWith('|'));
  }
  for (const run of runs) {
    const starts = tableStarts(run.rows);
    starts.forEach((start, index) => {
      const end = starts[index + 1] ?? run.rows.length;
      const block = { rows: run.rows.slice(start, end), outer: run.outer.slice(start, end).every(Boolean) };
      const previous = blocks.at(-1);
      if (region.fenced && index === 0 && previous !== undefined && continues(previous, block)) {
        previous.rows.push(...block.rows);
        previous.outer &&= block.outer;
      } else blocks.push(block);
    });
  }
  return blocks;
}

/**
 * Where tables begin in a run: at its start, and at a row with a delimiter row of its own width below it, if that
 * width is new or no header has been seen yet. A row of dashes below data of the same width is data.
 */
function tableStarts(rows: readonly string[][]): number[] {
  const starts = [0];
  let width = rows[1] !== undefined && isDelimiterRow(rows[1]) ? (rows[0]?.length ?? 0) : null;
  for (let index = 1; index + 1 < rows.length; index += 1) {
    const cells = rows[index] ?? [];
    const below = rows[index + 1] ?? [];
    if (!isDelimiterRow(below) || below.length !== cells.length || isDelimiterRow(cells)) continue;
    if (cells.length === width) continue;
    starts.push(index);
    width = cells.length;
  }
  return starts;
}

/** A part after a blank line belongs to the table above unless its width differs or it has another header. */
function continues(previous: Block, next: Block): boolean {
  const header = previous.rows[0] ?? [];
  const first = next.rows[0] ?? [];
  if (first.length !== header.length) return false;
  const hasHeader = next.rows[1] !== undefined && isDelimiterRow(next.rows[1]);
  return !hasHeader || headerKey(first) === headerKey(header);
}

const headerKey = (cells: readonly string[]): string => tupleKey(cells.map(normaliseHeader));

/** A block as a table; none where it is prose or code with pipes in it. */
function readBlock(block: Block, region: Region, decode: (raw: string) => string): FoundTable[] {
  const [header, ...body] = block.rows;
  if (header === undefined) return [];
  const delimited = body[0] !== undefined && isDelimiterRow(body[0]);
  const markdownTag = region.tag === 'markdown' || region.tag === 'md';
  if (!delimited && (body.length === 0 || !(block.outer || markdownTag))) return [];
  const columns = header.map(decode);
  if (columns.every((name) => name === '')) return [];
  const key = headerKey(header);
  const rows: string[][] = [];
  for (let index = delimited ? 1 : 0; index < body.length; index += 1) {
    const cells = body[index] ?? [];
    if (headerKey(cells) === key) {
      if (isDelimiterRow(body[index + 1] ?? [])) index += 1;
      continue;
    }
    const row = fitRow(cells, columns.length).map(decode);
    if (row.some((cell) => cell !== '')) rows.push(row);
  }
  return [{ columns, rows, fenced: region.fenced }];
}

/** Short rows are padded; surplus cells belong to the last column (an unescaped pipe), blank surplus is dropped. */
function fitRow(cells: readonly string[], width: number): string[] {
  if (cells.length <= width) return [...cells, ...Array<string>(width - cells.length).fill('')];
  let end = cells.length;
  while (end > width && (cells[end - 1] ?? '').trim() === '') end -= 1;
  return [...cells.slice(0, width - 1), cells.slice(width - 1, end).join('\\|')];
}
