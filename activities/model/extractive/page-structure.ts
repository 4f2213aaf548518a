import { parseTableLines } from './table-lines.ts';

/** A `Name: value` line of a page. */
export interface Field {
  name: string;
  value: string;
  /** The line as it stands on the page. */
  line: string;
}

export interface PageTable {
  heading: string;
  /** The line of prose right before the table, often its caption. */
  lead: string;
  columns: string[];
  rows: string[][];
}

export interface PageList {
  heading: string;
  /** The line of prose right before the list. */
  lead: string;
  items: string[];
}

export interface Sentence {
  heading: string;
  text: string;
}

/** What a reader sees at a glance: headings, fields, tables, lists and sentences of one page. */
export interface PageStructure {
  title: string;
  fields: Field[];
  tables: PageTable[];
  lists: PageList[];
  sentences: Sentence[];
}

const HEADING = /^(#{1,6})\s+(.*?)\s*#*$/;
const BULLET = /^\s*(?:[-*+•·]|\d{1,3}[.)、])\s+(.+)$/;
const FIELD =
  /^\s*(?:[-*+•·]\s+)?(?:\*\*|__)?([\p{L}\p{N}][^:：|*_]{0,58}?)(?:\*\*|__)?\s*[:：](?:\*\*|__)?\s*(\S.*)$/u;

/** Splits the text of a page, Markdown or plain, into its parts. Never throws: odd lines become sentences. */
export function readStructure(title: string, text: string): PageStructure {
  const page: PageStructure = { title, fields: [], tables: [], lists: [], sentences: [] };
  let heading = '';
  let lead = '';
  let list: PageList | null = null;
  let prose: string[] = [];
  const flushProse = (): void => {
    for (const sentence of splitSentences(prose.join(' '))) page.sentences.push({ heading, text: sentence });
    if (prose.length > 0) lead = prose.at(-1) ?? '';
    prose = [];
  };
  const lines = text.split(/\r?\n/);
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (line.includes('|') && (lines[at + 1] ?? '').includes('|')) {
      flushProse();
      let end = at;
      while (end < lines.length && (lines[end] ?? '').includes('|')) end += 1;
      addTable(page, heading, lead, lines.slice(at, end));
      list = null;
      at = end - 1;
      continue;
    }
    const title2 = HEADING.exec(line);
    if (title2) {
      flushProse();
      heading = plain(title2[2] ?? '');
      lead = '';
      list = null;
      continue;
    }
    if (line.trim() === '') {
      flushProse();
      continue;
    }
    const bullet = BULLET.exec(line);
    const field = FIELD.exec(line);
    if (bullet) {
      flushProse();
      if (!list) {
        list = { heading, lead, items: [] };
        page.lists.push(list);
      }
      list.items.push((bullet[1] ?? '').trim());
    } else list = null;
    if (field && isFieldName(field[1] ?? '', field[2] ?? '')) {
      if (!bullet) flushProse();
      page.fields.push({ name: plain(field[1] ?? ''), value: plain(field[2] ?? ''), line: line.trim() });
    } else if (bullet) {
      for (const sentence of splitSentences(plain(bullet[1] ?? '')))
        page.sentences.push({ heading, text: sentence });
      continue;
    }
    if (!bullet) prose.push(plain(line));
  }
  flushProse();
  return page;
}

function addTable(page: PageStructure, heading: string, lead: string, lines: readonly string[]): void {
  const table = parseTableLines(lines);
  if (!table) return;
  const columns = table.columns.map(plain);
  const rows = table.rows.map((row) => row.map(plain));
  if (columns.length === 2) {
    const pairs = isHeaderless(columns) ? rows : [columns, ...rows];
    for (const [name = '', value = ''] of pairs)
      if (name !== '' && value !== '') page.fields.push({ name, value, line: `${name}: ${value}` });
  }
  page.tables.push({ heading, lead, columns, rows });
}

/** Info boxes are often two-column tables whose header says nothing. */
const isHeaderless = (columns: readonly string[]): boolean =>
  columns.every(
    (column) => column === '' || /^(?:field|property|attribute|key|name|value|属性|值|项目)$/iu.test(column),
  );

/** A field name is a short noun phrase, not the first half of a sentence. */
const isFieldName = (name: string, value: string): boolean =>
  name.trim().split(/\s+/).length <= 6 &&
  !/^(?:https?|ftp)$/i.test(name.trim()) &&
  !/\b(?:is|are|was|were|has|have|include|includes)\b|[，。]/iu.test(name) &&
  splitSentences(value).length === 1;

/** Text without Markdown's emphasis, links, images, code marks and footnote numbers. */
export function plain(text: string): string {
  return text
    .replace(/!\[[^\]]*\]\([^)]*\)/g, '')
    .replace(/\[([^\]]*)\]\([^)\s]*\)/g, '$1')
    .replace(/\[(?:\d+|note \d+|citation needed)\]/gi, '')
    .replace(/(\*\*|__)(.+?)\1/g, '$2')
    .replace(/(?<![\p{L}\p{N}])([*_])(\S(?:[^*_]*\S)?)\1(?![\p{L}\p{N}])/gu, '$2')
    .replaceAll('`', '')
    .replace(/<br\s*\/?>/gi, ', ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Sentences of a paragraph; initials and decimal points do not end one. */
export function splitSentences(text: string): string[] {
  return text
    .split(
      /(?<=[。！？])|(?<=[\p{Ll}\p{N}²³)\]"”'][.!?]["”']?)(?<!\b(?:St|Ste|Mt|Dr|Mr|Mrs|Ms|Prof|No|ca|approx|Jr|Sr|vs)\.)\s+(?=["“'(]?[\p{Lu}\p{N}\p{Lo}])/u,
    )
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');
}
