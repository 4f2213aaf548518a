import { isUnspaced } from './fold.ts';
import { isNumber, tokenize } from './tokens.ts';
import type { Token } from './tokens.ts';

/** A span of a page's text, end exclusive. */
export interface Span {
  start: number;
  end: number;
}

/** The table that a row stands in. */
export interface TableContext {
  headers: readonly string[];
  rows: number;
  numericColumns: number;
}

/** The smallest part of a page that can be quoted by itself: a sentence, a list item, a field line, a table row. */
export interface Passage extends Span {
  kind: 'sentence' | 'item' | 'field' | 'row' | 'heading';
  tokens: readonly Token[];
  /** Fields: what stands before the colon. */
  label?: string;
  /** Fields: where the value starts. Rows: the cells' spans, in order. */
  value?: number;
  cells?: readonly Span[];
  table?: TableContext;
  /** The heading that it stands under. */
  section?: Passage;
}

const FIELD = /^\s*(?:[-*+•·]\s+|\d+[.)]\s+)?((?:(?![:：。!?！？；;|]).){1,60}?)\s*[:：](?!\/\/)\s*(?=\S)/u;
const ITEM = /^\s*(?:[-*+•·]|\d+[.)、])\s*(?=\S)/u;
const HEADING = /^\s{0,3}(?:#{1,6}\s+|={2,6}\s*)\S/;
const DELIMITER = /^\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?\s*$/;
const ABBREVIATION =
  /(?:^|[\s(])(?:mr|mrs|ms|dr|prof|st|mt|ft|no|vs|inc|ltd|corp|co|jr|sr|ca|c|approx|est|gen|col|u\.s|u\.k|e\.g|i\.e|etc|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|\p{Lu})$/iu;
/** A line at least this long may be a paragraph that was wrapped; shorter lines stand for themselves. */
const WRAPPED = 60;

interface Line extends Span {
  text: string;
}

const linesOf = (text: string): Line[] => {
  const lines: Line[] = [];
  let start = 0;
  for (const part of text.split('\n')) {
    const content = part.replace(/\r$/, '');
    lines.push({ start, end: start + content.length, text: content });
    start += part.length + 1;
  }
  return lines;
};

const trimSpan = (text: string, span: Span): Span => {
  let { start, end } = span;
  while (start < end && /\s/.test(text[start] ?? '')) start += 1;
  while (end > start && /\s/.test(text[end - 1] ?? '')) end -= 1;
  return { start, end };
};

/** Sentences of `[start, end)`; a full stop after an abbreviation, an initial or inside a number ends nothing. */
export const sentencesOf = (text: string, span: Span): Span[] => {
  const found: Span[] = [];
  const stop = /[。！？；]["'”’」』）)]*|[.!?]+["'”’)\]]*(?=\s)/gu;
  stop.lastIndex = span.start;
  let from = span.start;
  for (let hit = stop.exec(text); hit && hit.index < span.end; hit = stop.exec(text)) {
    const before = text.slice(Math.max(from, hit.index - 8), hit.index);
    if (hit[0].startsWith('.') && ABBREVIATION.test(before)) continue;
    const end = Math.min(span.end, stop.lastIndex);
    found.push(trimSpan(text, { start: from, end }));
    from = end;
  }
  found.push(trimSpan(text, { start: from, end: span.end }));
  return found.filter((each) => each.end > each.start);
};

/** Spans of the cells of a table line; `\|` is a pipe inside a cell. */
export const cellsOf = (line: Line): Span[] => {
  const cells: Span[] = [];
  let from = 0;
  for (let at = 0; at <= line.text.length; at += 1) {
    if (at < line.text.length && (line.text[at] !== '|' || line.text[at - 1] === '\\')) continue;
    cells.push(trimSpan(line.text, { start: from, end: at }));
    from = at + 1;
  }
  const first = cells[0];
  const last = cells.at(-1);
  if (first && first.start === first.end) cells.shift();
  if (cells.length > 0 && last && last.start === last.end) cells.pop();
  return cells.map((cell) => ({ start: cell.start + line.start, end: cell.end + line.start }));
};

const numericShare = (text: string, rows: readonly (readonly Span[])[], column: number): boolean => {
  const filled = rows.map((cells) => cells[column]).filter((cell) => cell && cell.end > cell.start);
  const numeric = filled.filter((cell) => cell && tokenize(text.slice(cell.start, cell.end)).some(isNumber));
  return filled.length > 0 && numeric.length * 2 > filled.length;
};

const tablePassages = (text: string, lines: readonly Line[], tokens: (span: Span) => Token[]): Passage[] => {
  const [head, , ...body] = lines;
  if (!head) return [];
  const headers = cellsOf(head).map((cell) => text.slice(cell.start, cell.end));
  const rows = body.map(cellsOf);
  const table = {
    headers,
    rows: rows.length,
    numericColumns: headers.filter((_, column) => numericShare(text, rows, column)).length,
  };
  return body.map((line, row) => {
    const span = trimSpan(text, line);
    return { ...span, kind: 'row' as const, tokens: tokens(span), cells: rows[row] ?? [], table };
  });
};

/** Cuts a page's text (Markdown or plain) into passages, in order, each with its tokens. Offsets are into `text`. */
export const passagesOf = (text: string): Passage[] => {
  const all = tokenize(text);
  let cursor = 0;
  const tokensIn = (span: Span): Token[] => {
    while (cursor > 0 && (all[cursor - 1]?.start ?? 0) >= span.start) cursor -= 1;
    while (cursor < all.length && (all[cursor]?.start ?? 0) < span.start) cursor += 1;
    const from = cursor;
    while (cursor < all.length && (all[cursor]?.end ?? 0) <= span.end) cursor += 1;
    return all.slice(from, cursor);
  };
  const lines = linesOf(text);
  const passages: Passage[] = [];
  let section: Passage | undefined;
  const add = (kind: Passage['kind'], span: Span, rest: Partial<Passage> = {}): void => {
    const trimmed = trimSpan(text, span);
    if (trimmed.end > trimmed.start)
      passages.push({ ...trimmed, kind, tokens: tokensIn(trimmed), section, ...rest });
  };
  const isTableStart = (at: number): boolean =>
    (lines[at]?.text.includes('|') ?? false) &&
    DELIMITER.test(lines[at + 1]?.text ?? '') &&
    (lines[at + 1]?.text.includes('-') ?? false);

  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at];
    if (!line || line.text.trim() === '') continue;
    if (isTableStart(at)) {
      let end = at + 2;
      while (end < lines.length && lines[end]?.text.includes('|')) end += 1;
      for (const row of tablePassages(text, lines.slice(at, end), tokensIn))
        passages.push({ ...row, section });
      at = end - 1;
      continue;
    }
    if (HEADING.test(line.text)) {
      add('heading', line);
      section = passages.at(-1);
      continue;
    }
    if (line.text.includes('|') && line.text.trim().startsWith('|')) {
      add('row', line, { cells: cellsOf(line) });
      continue;
    }
    const field = FIELD.exec(line.text);
    if (
      field?.[1] &&
      (isUnspaced(field[1][0] ?? '') ? field[1].length <= 16 : field[1].split(/\s+/).length <= 6)
    ) {
      add('field', line, {
        label: field[1].replace(/[*_`]/g, '').trim(),
        value: line.start + field[0].length,
      });
      continue;
    }
    if (ITEM.test(line.text)) {
      add('item', line);
      continue;
    }
    let last = at;
    const continues = (next: Line | undefined): boolean =>
      next !== undefined &&
      next.text.trim() !== '' &&
      !(
        HEADING.test(next.text) ||
        ITEM.test(next.text) ||
        FIELD.test(next.text) ||
        next.text.includes('|')
      ) &&
      (lines[last]?.text.length ?? 0) >= WRAPPED;
    while (continues(lines[last + 1])) last += 1;
    for (const sentence of sentencesOf(text, { start: line.start, end: lines[last]?.end ?? line.end }))
      add('sentence', sentence);
    at = last;
  }
  return passages;
};
