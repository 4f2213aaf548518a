import type { CellEvidence, Table } from '../run.ts';
import { attributeOf } from './concepts.ts';
import { corpusOf } from './corpus.ts';
import type { Corpus, EvidencePage, IndexedPage, Place } from './corpus.ts';
import { better } from './candidate.ts';
import type { Candidate } from './candidate.ts';
import { nearbySupport } from './nearby.ts';
import { quoteAround, MAX_QUOTE } from './quote.ts';
import { isFieldFor, ownNames, supportIn } from './support.ts';
import type { Entity, Query, Stance } from './support.ts';
import { keyEvidence } from './subjects.ts';
import { nameKey } from './titles.ts';
import { isNumber, tokenize } from './tokens.ts';
import { plainCell, valueOf } from './value.ts';

export interface GroundOptions {
  /** Columns that identify a row; default: the first column that is not mostly numbers. */
  keyColumns?: readonly string[];
  /** The question that was asked: among list pages, those whose titles share words with it come first. */
  question?: string;
}

const isNumeral = (cell: string): boolean => {
  const tokens = tokenize(cell);
  return tokens.length > 0 && tokens.every(isNumber);
};

/** Indices of the key columns, as asked for or by default. */
export const keyIndices = (table: Table, wanted: readonly string[] | undefined): number[] => {
  const asked = (wanted ?? []).map((name) => table.columns.indexOf(name)).filter((at) => at >= 0);
  if (asked.length > 0) return asked;
  const text = table.columns.findIndex((_, at) => {
    const cells = table.rows.map((row) => row[at] ?? '').filter((cell) => cell.trim() !== '');
    return cells.filter(isNumeral).length * 2 <= cells.length;
  });
  return [Math.max(0, text)];
};

const entityOf = (row: readonly string[], keys: readonly number[]): Entity | undefined => {
  const cells = keys.map((at) => plainCell(row[at] ?? '')).filter((cell) => tokenize(cell).length > 0);
  const worded = cells.filter((cell) => !isNumeral(cell));
  const names = worded.length > 0 ? worded : cells;
  if (names.length === 0) return undefined;
  return {
    names,
    phrases: names.map((name) => tokenize(name)),
    keys: new Set(names.map(nameKey)),
    qualifiers: worded.length > 0 ? cells.filter(isNumeral).map((cell) => tokenize(cell)) : [],
  };
};

interface Scope {
  place: Place;
  stance: Stance;
  /** 3 exact title, 2 title with more words, 1.5 section of that name, 1 the passage names it. */
  closeness: number;
}

/** Every passage that may speak of the entity. A section named after another entity of the table does not. */
const scopesOf = (corpus: Corpus, entity: Entity, entities: ReadonlySet<string>): Scope[] => {
  const scopes: Scope[] = [];
  const seen = new Set<Place>();
  const add = (place: Place, stance: Stance, closeness: number): void => {
    if (seen.has(place)) return;
    seen.add(place);
    scopes.push({ place, stance, closeness });
  };
  const sectionKey = (place: Place): string =>
    place.passage.section
      ? nameKey(
          place.page.text
            .slice(place.passage.section.start, place.passage.section.end)
            .replace(/^[#=\s]+|[=\s]+$/g, ''),
        )
      : '';
  const titled = entity.names.flatMap((name) => corpus.about(name).map((hit) => ({ ...hit, name })));
  for (const { page, closeness, name } of titled) {
    const others = [...page.titleReading.exact].some((key) => entities.has(key) && !entity.keys.has(key));
    if (others) continue;
    const rest = entity.names.filter((other) => other !== name);
    for (const place of page.places) {
      const key = sectionKey(place);
      if (key !== '' && entities.has(key) && !entity.keys.has(key)) continue;
      const complete =
        rest.length === 0 ||
        ownNames(corpus, place, { ...entity, names: rest, phrases: rest.map((each) => tokenize(each)) }) !==
          undefined ||
        rest.every((other) => corpus.about(other).some((hit) => hit.page === page));
      if (complete) add(place, 'about', closeness + 1);
    }
  }
  for (const place of entity.names[0] === undefined ? [] : corpus.naming(entity.names[0])) {
    add(place, 'named', 1);
    if (place.passage.kind !== 'heading' || entity.names.length > 1) continue;
    for (const below of place.page.places.slice(place.order + 1)) {
      if (below.passage.section !== place.passage) break;
      if (entity.keys.has(sectionKey(below))) add(below, 'about', 1.5);
    }
  }
  return scopes;
};

const cellCandidate = (
  corpus: Corpus,
  scopes: readonly Scope[],
  query: Query,
  hasField: (page: IndexedPage) => boolean,
): Candidate | undefined => {
  let best: Candidate | undefined;
  const about = new Set(scopes.filter((scope) => scope.stance === 'about').map((scope) => scope.place));
  for (const { place, stance, closeness } of scopes) {
    const support = supportIn(corpus, place, query, stance, closeness > 1.5 && hasField(place.page));
    if (!support) continue;
    const { page, passage } = place;
    const score = support.attribute * 2 + closeness * 1.01;
    if (best && score < best.score) continue;
    const section = closeness === 1.5 ? passage.section : undefined;
    const around = section ? { start: section.start, end: passage.end } : passage;
    const needed = section ? { start: section.start, end: support.needed.end } : support.needed;
    if (needed.end - needed.start > MAX_QUOTE) continue;
    const quote = quoteAround(page.text, around, needed);
    if (quote !== undefined) best = better(best, { page, start: needed.start, quote, score });
  }
  if (best || query.value.parts.length === 0) return best;
  for (const { place, closeness } of scopes) {
    if (!about.has(place) || closeness < 2) continue;
    const run = nearbySupport(corpus, place, query, hasField(place.page), (each) => about.has(each));
    const quote = run && quoteAround(place.page.text, run, run);
    if (run && quote !== undefined)
      best = better(best, { page: place.page, start: run.start, quote, score: closeness });
  }
  return best;
};

/**
 * For every cell, row by row, the page and quote that support it, or `unsupported`. Precision comes before coverage: the
 * page, its section or the quote itself must be about the row's entity, and the quote must hold the whole value. Quotes
 * are slices of the page's stored text, 10 to 300 UTF-16 units long. The order of `pages` does not matter.
 */
export const groundTable = (
  table: Table,
  pages: readonly EvidencePage[],
  options: GroundOptions = {},
): CellEvidence[] => {
  const keys = keyIndices(table, options.keyColumns);
  const entities = table.rows.map((row) => entityOf(row, keys));
  const names = [...new Set(entities.flatMap((entity) => entity?.names ?? []))];
  const attributes = table.columns.map(attributeOf);
  const described = attributes.filter((_, at) => !keys.includes(at));
  const values = new Set<string>();
  for (const row of table.rows)
    for (const [at, cell] of row.entries()) {
      if (keys.includes(at)) continue;
      const value = valueOf(cell, table.columns[at] ?? '');
      for (const part of value.parts.length > 0 ? value.parts : [value.whole]) values.add(part.text);
    }
  const columnWords = new Set(table.columns.flatMap((column) => tokenize(column).map((token) => token.key)));
  const corpus = corpusOf(pages, names, values, columnWords);
  const entityKeys = new Set(names.map(nameKey));

  const fields = attributes.map(() => new Map<IndexedPage, boolean>());
  const hasField =
    (at: number) =>
    (page: IndexedPage): boolean => {
      const column = attributes[at];
      const known = fields[at]?.get(page);
      if (known !== undefined || !column) return known ?? false;
      const found = page.places.some((place) => isFieldFor(place, column, described));
      fields[at]?.set(page, found);
      return found;
    };
  const forKey = keyEvidence(corpus, names, options.question ?? '');

  return table.rows.flatMap((row, rowAt) => {
    const entity = entities[rowAt];
    const scopes = entity ? scopesOf(corpus, entity, entityKeys) : [];
    return table.columns.map((column, at): CellEvidence => {
      const cell = row[at] ?? '';
      const attribute = attributes[at];
      const plain = plainCell(cell);
      let found: Candidate | undefined;
      if (entity && attribute && tokenize(plain).length > 0) {
        if (keys.includes(at) && entity.names.includes(plain)) found = forKey(plain);
        else {
          const value = valueOf(cell, column);
          const valueIsEntity = [value.whole, ...value.parts].some((part) =>
            entityKeys.has(nameKey(part.text)),
          );
          const query = { entity, value, column: attribute, columns: described, valueIsEntity };
          found =
            value.whole.tokens.length > 0 ? cellCandidate(corpus, scopes, query, hasField(at)) : undefined;
        }
      }
      if (!found) return { status: 'unsupported', row: rowAt, column };
      const { url, title, ref } = found.page;
      return { status: 'supported', row: rowAt, column, url, title, quote: found.quote, page: ref };
    });
  });
};
