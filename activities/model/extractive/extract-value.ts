import { findAnchor } from './anchor.ts';
import { placeIn } from './clause-english.ts';
import { columnType } from './column-type.ts';
import type { ColumnType } from './column-type.ts';
import { nameFit } from './name-fit.ts';
import type { PageStructure } from './page-structure.ts';
import type { Ranker } from './ranker.ts';
import { coverage, isHan, nameKey, terms } from './text.ts';
import { typedValue } from './typed-value.ts';
import { fromSentence } from './value-from-sentence.ts';
import type { Found } from './value-from-sentence.ts';

const FIELD_FIT = 0.6;
const FIELD_MEANING = 0.45;
const SENTENCE_MEANING = 0.36;

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
    rowValue(page, entity, column),
    fromSentences(page, entity, column, type),
  ];
  const best = candidates.filter((found) => found !== null).sort((a, b) => b.score - a.score)[0];
  if (best) return best;
  const placed = type.place ? fromLead(page, entity) : null;
  if (placed) return placed;
  return ranker.semantic && !isHan(column) ? byMeaning(page, entity, column, type, ranker) : null;
}

function fromFields(page: PageStructure, column: string, type: ColumnType): Found | null {
  let best: Found | null = null;
  for (const field of page.fields) {
    const isOption = type.options.some((option) => option.toLowerCase() === field.value.toLowerCase());
    const fit = Math.max(nameFit(type.terms, column, field.name), isOption ? FIELD_FIT : 0);
    if (fit < FIELD_FIT || (best && fit <= best.score)) continue;
    const value = typedValue(field.value, type);
    if (value !== null) best = { value, quote: field.line, score: fit };
  }
  return best;
}

/** What a table on any page says about an entity: its row's cell under a header that fits the column. */
export function rowValue(page: PageStructure, entity: string, column: string): Found | null {
  const key = nameKey(entity);
  const { terms: columnTerms } = columnType(column);
  for (const table of page.tables) {
    if (table.columns.length < 3 && table.rows.length < 3) continue;
    const fits = table.columns.map((name) => nameFit(columnTerms, column, name));
    const at = fits.indexOf(Math.max(...fits));
    const row =
      (fits[at] ?? 0) < FIELD_FIT
        ? undefined
        : table.rows.find((cells) => cells.some((cell, index) => index !== at && nameKey(cell) === key));
    const value = row?.[at]?.trim() ?? '';
    if (row && /[\p{L}\p{N}]/u.test(value))
      return { value, quote: row.join(' | '), score: 0.98 * (fits[at] ?? 0) };
  }
  return null;
}

function fromSentences(page: PageStructure, entity: string, column: string, type: ColumnType): Found | null {
  let best: Found | null = null;
  for (const { text } of page.sentences) {
    const found = fromSentence(text, entity, column, type, false);
    if (found && (!best || found.score > best.score + 1e-9)) best = found;
  }
  return best;
}

/** A place column without a field: where the opening sentence puts the entity. */
function fromLead(page: PageStructure, entity: string): Found | null {
  const text = page.sentences.find((sentence) => sentence.text.length > 20)?.text ?? '';
  const place = isHan(text)
    ? (/(?:位于|属于|是)(?:\S{1,4}的)?(\p{Script=Han}{2,8}?)(?:的|。|，)/u.exec(text)?.[1] ?? '')
    : placeIn(text, entity);
  return place === '' ? null : { value: place, quote: text, score: 0.45 };
}

async function byMeaning(
  page: PageStructure,
  entity: string,
  column: string,
  type: ColumnType,
  ranker: Ranker,
): Promise<Found | null> {
  const query = type.options.length > 0 ? column : column.replace(/[(（[].*$/u, '').trim();
  const fieldScores = await ranker.similarity(
    query,
    page.fields.map(({ name }) => name),
  );
  const fields = page.fields
    .map((field, at) => ({ field, score: fieldScores[at] ?? 0 }))
    .sort((a, b) => b.score - a.score);
  for (const { field, score } of fields.slice(0, 1)) {
    if (coverage(type.terms, terms(field.name)) > 0) continue;
    const value = score >= FIELD_MEANING ? typedValue(field.value, type) : null;
    if (value !== null && (type.kind === 'text' || /\d/.test(value)))
      return { value, quote: field.line, score: 0.5 * score };
  }
  const texts = page.sentences.map(({ text }) => text);
  const scores = await ranker.similarity(query, texts);
  const near = texts
    .map((text, at) => ({ text, score: scores[at] ?? 0 }))
    .filter(({ score }) => score >= SENTENCE_MEANING)
    .sort((a, b) => b.score - a.score);
  for (const { text, score } of near.slice(0, 2)) {
    const rival =
      type.kind !== 'text' &&
      coverage(type.terms, terms(text)) > 0 &&
      findAnchor(text, type.terms, column)?.head !== true;
    const found = rival ? null : fromSentence(text, entity, column, type, true);
    if (found) return { ...found, score: 0.5 * score };
  }
  return null;
}
