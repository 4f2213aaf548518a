import { findAnchor } from './anchor.ts';
import { valueAroundHan } from './clause-chinese.ts';
import { cutClause, namesIn, valueAround } from './clause-english.ts';
import { columnType } from './column-type.ts';
import type { ColumnType } from './column-type.ts';
import type { PageStructure, Sentence } from './page-structure.ts';
import { quantitiesIn, sameUnit } from './quantities.ts';
import type { Quantity } from './quantities.ts';
import type { Ranker } from './ranker.ts';
import { coverage, isHan, nameKey, overlap, terms } from './text.ts';

/** A value lifted from a page. `quote` stands on the page; `score` is 0..1. */
export interface Found {
  value: string;
  quote: string;
  score: number;
}

const FIELD_FIT = 0.6;
const MEANING_FIT = 0.45;
const COMPARISON =
  /\b(?:than|compared?|similar|close\s+to|closest|nearest|nearly|next\s+to)\b|相比|相近|接近|最近|相当/iu;

/**
 * The value of `column` for `entity` on one page, or null. Order of trust: fields and table rows by name, sentences
 * that name the column, then fields and sentences near it in meaning. Nothing is ever made up: every value is on the page.
 */
export async function extractValue(
  page: PageStructure,
  entity: string,
  column: string,
  ranker: Ranker,
): Promise<Found | null> {
  const type = columnType(column);
  const candidates = [
    fromFields(page, column, type),
    fromTables(page, entity, column, type),
    fromSentences(page, entity, column, type),
  ];
  const best = candidates.filter((found) => found !== null).sort((a, b) => b.score - a.score)[0];
  if (best) return best;
  return ranker.semantic && !isHan(column) ? byMeaning(page, entity, column, type, ranker) : null;
}

function fromFields(page: PageStructure, column: string, type: ColumnType): Found | null {
  let best: Found | null = null;
  for (const field of page.fields) {
    const fit = nameFit(type.terms, column, field.name);
    if (fit < FIELD_FIT || (best && fit <= best.score)) continue;
    const value = typedField(field.value, type);
    if (value !== null) best = { value, quote: field.line, score: fit };
  }
  return best;
}

/** How well a field or header name fits a column, 0..1. */
export function nameFit(columnTerms: readonly string[], column: string, name: string): number {
  const bare = name.replace(/[(（][^)）]*[)）]/gu, (inside) =>
    /^[(（]\p{Ll}{1,2}[)）]$/u.test(inside) ? '' : ' ',
  );
  if (nameKey(bare) !== '' && nameKey(bare) === nameKey(column)) return 1;
  const nameTerms = terms(bare);
  const shared = overlap(columnTerms, nameTerms);
  return isHan(column) ? 0.99 * shared : 0.97 * Math.max(shared, 0.9 * headFit(columnTerms, nameTerms));
}

/** A kind word plus the right topic (`year built` and `built`) is as good as the full name. */
function headFit(columnTerms: readonly string[], nameTerms: readonly string[]): number {
  const topic = columnTerms.filter((term) => !/^(?:year|date|number|total|name)$/.test(term));
  const other = nameTerms.filter((term) => !/^(?:year|date|number|total|name)$/.test(term));
  return topic.length === 0 || other.length === 0 ? 0 : overlap(topic, other);
}

/** A field's value in the form the column wants; null where it plainly is another kind of value. */
function typedField(raw: string, type: ColumnType): string | null {
  if (type.kind === 'number') {
    const quantities = quantitiesIn(raw);
    const chosen = chooseQuantity(quantities, type, 0);
    if (chosen) return printQuantity(chosen, type);
    return quantities.length > 0 && type.dimension !== '' ? null : raw;
  }
  if (type.kind === 'year')
    return /\b\d{3,4}\b/.test(raw) && raw.length > 40 ? (yearIn(raw, 0)?.text ?? raw) : raw;
  return raw;
}

function chooseQuantity(
  quantities: readonly Quantity[],
  type: ColumnType,
  anchorEnd: number,
): Quantity | null {
  const fitting = quantities.filter(
    (quantity) => type.dimension === '' || quantity.dimension === type.dimension || quantity.dimension === '',
  );
  const exact = type.unit === '' ? [] : fitting.filter((quantity) => sameUnit(quantity.unit, type.unit));
  const withUnit = fitting.filter(
    (quantity) => quantity.dimension !== '' && quantity.dimension === type.dimension,
  );
  const pool = [exact, withUnit, fitting].find((group) => group.length > 0) ?? [];
  return [...pool].sort((a, b) => distance(a, anchorEnd) - distance(b, anchorEnd))[0] ?? null;
}

/** A number after the anchor is nearer than one before it. */
const distance = (quantity: Quantity, anchorEnd: number): number =>
  quantity.start >= anchorEnd ? quantity.start - anchorEnd : 2 * (anchorEnd - quantity.start) + 10;

const printQuantity = (quantity: Quantity, type: ColumnType): string =>
  type.unit !== '' && (quantity.unit === '' || sameUnit(quantity.unit, type.unit))
    ? quantity.digits
    : quantity.text;

function fromTables(page: PageStructure, entity: string, column: string, type: ColumnType): Found | null {
  const key = nameKey(entity);
  for (const table of page.tables) {
    if (table.columns.length < 3 && table.rows.length < 3) continue;
    const fits = table.columns.map((name) => nameFit(type.terms, column, name));
    const at = fits.indexOf(Math.max(...fits));
    if ((fits[at] ?? 0) < FIELD_FIT) continue;
    const row = table.rows.find((cells) =>
      cells.some((cell, index) => index !== at && nameKey(cell) === key),
    );
    const value = row?.[at];
    if (row && value) return { value: value, quote: row.join(' | '), score: 0.98 * (fits[at] ?? 0) };
  }
  return null;
}

function fromSentences(page: PageStructure, entity: string, column: string, type: ColumnType): Found | null {
  let best: Found | null = null;
  for (const sentence of page.sentences) {
    const found = fromSentence(sentence, entity, column, type, false);
    if (found && (!best || found.score > best.score + 1e-9)) best = found;
  }
  return best;
}

/** Reads one sentence; `near` tells that its meaning fits although its words may not. */
function fromSentence(
  sentence: Sentence,
  entity: string,
  column: string,
  type: ColumnType,
  near: boolean,
): Found | null {
  const { text } = sentence;
  const anchor = findAnchor(text, type.terms, column);
  const compared = COMPARISON.test(text) ? 0.6 : 1;
  const covered = anchor?.coverage ?? 0;
  const at = anchor?.end ?? 0;
  if (type.kind === 'number') {
    const quantity = chooseQuantity(quantitiesIn(text), type, at);
    if (!quantity) return null;
    const measured = type.dimension !== '' && quantity.dimension === type.dimension;
    if (covered < (measured ? 0.4 : 0.5) && !near && !(measured && type.dimension === 'area')) return null;
    return {
      value: printQuantity(quantity, type),
      quote: text,
      score: (0.55 * covered + (measured ? 0.3 : 0) + (near ? 0.1 : 0)) * compared,
    };
  }
  if (type.kind === 'year') {
    const year = yearIn(text, at);
    if (!year || (covered < 0.5 && !near)) return null;
    return { value: year.text, quote: text, score: (0.6 * covered + 0.25) * compared };
  }
  if (!anchor || covered < 0.5) return null;
  const around = isHan(column)
    ? valueAroundHan(text, anchor.start, anchor.end)
    : valueAround(text, anchor.start, anchor.end, entity);
  if (!around || around.value === '' || around.value.length > 300) return null;
  return { value: around.value, quote: text, score: 0.85 * covered * around.trust * compared };
}

/** The year or date nearest to the anchor. */
function yearIn(text: string, anchorEnd: number): { text: string; start: number } | null {
  const DATE =
    /\d{3,4}年(?:\d{1,2}月(?:\d{1,2}日)?)?|\b(?:\d{1,2}\s+\p{Lu}\p{L}+\s+|\p{Lu}\p{L}+\s+\d{1,2},\s+)?(?:c\.\s*)?\d{4}\b(?:\s*(?:BC|BCE|AD|CE)\b)?|\b\d{1,4}\s*(?:BC|BCE)\b|\b\d{1,2}(?:st|nd|rd|th)\s+century(?:\s+BC)?/gu;
  const found = [...text.matchAll(DATE)].map((match) => ({ text: match[0], start: match.index }));
  const gap = (start: number): number =>
    start >= anchorEnd ? start - anchorEnd : 2 * (anchorEnd - start) + 10;
  return found.sort((a, b) => gap(a.start) - gap(b.start))[0] ?? null;
}

async function byMeaning(
  page: PageStructure,
  entity: string,
  column: string,
  type: ColumnType,
  ranker: Ranker,
): Promise<Found | null> {
  const names = page.fields.map(({ name }) => name);
  const texts = page.sentences.map(({ text }) => text);
  const [fieldScores, sentenceScores] = [
    await ranker.similarity(column, names),
    await ranker.similarity(`${column} of ${entity}`, texts),
  ];
  const field = page.fields
    .map((found, index) => ({ found, score: fieldScores[index] ?? 0 }))
    .sort((a, b) => b.score - a.score)[0];
  if (field && field.score >= MEANING_FIT + 0.05) {
    const value = typedField(field.found.value, type);
    if (value !== null) return { value, quote: field.found.line, score: 0.5 * field.score };
  }
  const near = page.sentences
    .map((sentence, index) => ({ sentence, score: sentenceScores[index] ?? 0 }))
    .filter(({ score }) => score >= MEANING_FIT)
    .sort((a, b) => b.score - a.score)
    .slice(0, 3);
  for (const { sentence, score } of near) {
    const found = fromSentence(sentence, entity, column, type, true) ?? nameFrom(sentence, entity, type);
    if (found) return { ...found, score: 0.5 * score };
  }
  return null;
}

/** Last resort for a text column: the names in a sentence that is near in meaning. */
function nameFrom(sentence: Sentence, entity: string, type: ColumnType): Found | null {
  if (type.kind !== 'text') return null;
  const names = namesIn(sentence.text, entity);
  const value = names[0];
  return value ? { value: cutClause(value), quote: sentence.text, score: 0.3 } : null;
}

/** Whether a page says that its entity is what `quality` names: a yes/no field, a sentence, or silence (null). */
export function hasQuality(page: PageStructure, quality: string): boolean | null {
  const wanted = terms(quality);
  for (const field of page.fields) {
    if (coverage(wanted, terms(field.name)) < 0.75) continue;
    if (/^(?:yes|true|是|有)\b|^[是有]$/iu.test(field.value)) return true;
    if (/^(?:no|none|false|否|无|不是)\b|^[否无]$/iu.test(field.value)) return false;
  }
  for (const { text } of page.sentences) {
    if (coverage(wanted, terms(text)) < 0.75) continue;
    return !/\b(?:not|no|never|without|neither)\b|不是|并非|不属于|没有/iu.test(text);
  }
  const said = page.fields.some((field) => coverage(wanted, terms(field.value)) >= 0.75);
  return said ? true : null;
}
