import { namesEntity } from './column-names.ts';
import { plain } from './page-structure.ts';
import type { PageStructure, PageTable } from './page-structure.ts';
import { quantitiesIn } from './quantities.ts';
import { isHan, splitEnumeration } from './text.ts';

/** One member of a list, with whatever the list says about it. A label is empty where label and value are not told apart. */
export interface Entry {
  name: string;
  details: { label: string; value: string }[];
}

/** A list found on a page, with the words around it that tell what it lists. */
export interface ListOnPage {
  kind: 'table' | 'bullets' | 'prose' | 'field';
  title: string;
  heading: string;
  lead: string;
  entries: Entry[];
}

/** Every list of a page: tables, bullets, enumerations in prose and in fields. */
export function listsOnPage(page: PageStructure, noun: string): ListOnPage[] {
  const { title } = page;
  const lists: ListOnPage[] = [];
  for (const table of page.tables) {
    const entries = tableEntries(table, noun);
    if (entries.length > 0)
      lists.push({ kind: 'table', title, heading: table.heading, lead: table.lead, entries });
  }
  for (const list of page.lists) {
    const entries = list.items.map((item) => itemEntry(plain(item))).filter(isEntry);
    if (entries.length >= Math.max(1, list.items.length * 0.7))
      lists.push({ kind: 'bullets', title, heading: list.heading, lead: list.lead, entries });
  }
  for (const { heading, text } of page.sentences) {
    const found = enumerationIn(text);
    if (found) lists.push({ kind: 'prose', title, heading, lead: found.lead, entries: found.entries });
  }
  for (const field of page.fields) {
    const entries = splitEnumeration(field.value)
      .map((name) => itemEntry(name))
      .filter(isEntry);
    if (entries.length >= 1) lists.push({ kind: 'field', title, heading: '', lead: field.name, entries });
  }
  return lists;
}

function tableEntries(table: PageTable, noun: string): Entry[] {
  const named = table.columns.findIndex((column) => namesEntity(column, noun));
  const key = named >= 0 ? named : table.columns.findIndex((_, at) => isNameColumn(table, at));
  if (key < 0) return [];
  return table.rows
    .map((row) => ({
      name: row[key] ?? '',
      details: row.flatMap((value, at) =>
        at === key || isBlank(value) ? [] : [{ label: table.columns[at] ?? '', value }],
      ),
    }))
    .filter(isEntry);
}

const isNameColumn = (table: PageTable, at: number): boolean => {
  const cells = table.rows.map((row) => row[at] ?? '').filter((cell) => !isBlank(cell));
  const numeric = cells.filter((cell) => /^[\d.,\s%#+-]+$/.test(cell)).length;
  return cells.length > 0 && numeric < cells.length / 2;
};

const isBlank = (cell: string): boolean => /^[\s–—\-?]*$/.test(cell) || /^n\/?a$/i.test(cell.trim());

const isEntry = ({ name }: Entry): boolean =>
  name !== '' &&
  name.length <= 70 &&
  name.split(/\s+/).length <= 9 &&
  /\p{L}/u.test(name) &&
  !/[。！？]$/u.test(name);

/** `Name; Label: value; …`, `Name (label value; …)`, `Name – remark`, `名，标签：值`. */
function itemEntry(item: string): Entry {
  const bracket = /^([^(（]{2,}?)\s*[(（](.+)[)）]\s*[.。]?$/u.exec(item);
  const spread = /^(.{1,70}?)(?:\s*[;；]\s+|\s+[–—-]\s+|[:：]\s*|，|,\s+(?=\p{Ll}))(.+)$/u.exec(item);
  const [, head, tail] =
    spread && (!bracket || (spread[1]?.length ?? 0) < (bracket[1]?.length ?? 0))
      ? spread
      : (bracket ?? [null, item, '']);
  return { name: cleanName(head ?? item), details: detailsOf(tail ?? '') };
}

function detailsOf(text: string): Entry['details'] {
  const parts = /[;；]/.test(text) ? text.split(/[;；]\s*/) : isHan(text) ? text.split(/，/) : [text];
  return parts
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const told = /^([^:：]{1,50})[:：]\s*(.+)$/u.exec(part);
      return told
        ? { label: told[1]?.trim() ?? '', value: told[2]?.trim() ?? '' }
        : { label: '', value: part };
    })
    .filter(({ value }) => !isBlank(value));
}

const cleanName = (name: string): string =>
  name.replace(/^[\s"“'‘]+|[\s"”'’.,，。]+$/gu, '').replace(/^the\s+(?=\p{Lu})/u, '');

/** A sentence that runs through three names or more, or two behind a colon or a plural copula. */
function enumerationIn(sentence: string): { lead: string; entries: Entry[] } | null {
  const split =
    /^(.*?[:：])\s*(.+?)[.。]?$/u.exec(sentence) ??
    /^(.*?(?:\b(?:are|were|includes?|comprises?|borders?|bordered\s+by|consists?\s+of)\b|包括|分别是|有|为|是))\s*(.+?)[.。]?$/u.exec(
      sentence,
    );
  if (!split) return null;
  const items = splitEnumeration(split[2] ?? '');
  if (items.length < 2) return null;
  const entries = items.map(itemEntry).filter(isEntry);
  const proper = entries.filter(({ name }) => isHan(name) || /^\p{Lu}/u.test(name)).length;
  const clean = entries.length >= items.length * 0.8 && proper >= entries.length * 0.8;
  return clean ? { lead: split[1] ?? '', entries } : null;
}

/** True where a detail reads as a quantity; such details never tell what a list is about. */
export const isQuantity = (value: string): boolean =>
  quantitiesIn(value).length > 0 && !/\p{L}{4,}/u.test(value);
