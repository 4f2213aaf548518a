import { attributeOf, relation } from './concepts.ts';
import type { Attribute } from './concepts.ts';
import type { Corpus, IndexedPage, Place } from './corpus.ts';
import { columnNearness, denied, ownedByOther } from './guards.ts';
import { namedAt } from './names.ts';
import type { Occurrence } from './names.ts';
import type { Passage, Span } from './passages.ts';
import { nameKey } from './titles.ts';
import { isNumber, tokenize } from './tokens.ts';
import type { Token } from './tokens.ts';
import { unitOfHeader } from './units.ts';
import { findPart } from './value.ts';
import type { Part, Value } from './value.ts';

/** The entity of a row, by its key cells. */
export interface Entity {
  names: readonly string[];
  phrases: readonly (readonly Token[])[];
  keys: ReadonlySet<string>;
  /** Number-like key cells (a year): they must stand in the passage or the title as well. */
  qualifiers: readonly (readonly Token[])[];
}

/** What a cell asks of a passage. */
export interface Query {
  entity: Entity;
  value: Value;
  column: Attribute;
  columns: readonly Attribute[];
  /** The value is itself an entity of the table (a neighbour): other entities beside it are no rivals. */
  valueIsEntity: boolean;
}

/** `about`: the page or its section is about the entity; `named`: the passage itself has to name it. */
export type Stance = 'about' | 'named';

/** The part of the page that a quote has to show, and how well the passage speaks of the column (0, 1, 2). */
export interface Support {
  needed: Span;
  attribute: 0 | 1 | 2;
}

const isNumeric = (value: Value): boolean => value.whole.tokens.some(isNumber);

/** Where the passage names the row's entity; undefined if one of several key cells is missing. */
export const ownNames = (corpus: Corpus, place: Place, entity: Entity): Occurrence[] | undefined => {
  const { page, passage } = place;
  const found = entity.names.map((name, at) =>
    namedAt(page.text, passage.tokens, name, entity.phrases[at] ?? [], corpus.vocabulary),
  );
  return found.every((each) => each.length > 0) ? found.flat() : undefined;
};

const tokenRange = (passage: Passage, span: Span): Token[] =>
  passage.tokens.filter((token) => token.start >= span.start && token.end <= span.end);

const spanOf = (tokens: readonly Token[], at: Occurrence): Span => ({
  start: tokens[at.from]?.start ?? 0,
  end: tokens[at.to - 1]?.end ?? 0,
});

/** Tokens of a cell before its first bracket: `Togo (borders Ghana)` speaks of Togo. */
export const subjectTokens = (text: string, passage: Passage, cell: Span): Token[] => {
  const bracket = text.slice(cell.start, cell.end).search(/(?<=\S)\s*[(（]/u);
  return tokenRange(passage, { start: cell.start, end: bracket > 0 ? cell.start + bracket : cell.end });
};

const hull = (spans: readonly Span[]): Span => ({
  start: Math.min(...spans.map((span) => span.start)),
  end: Math.max(...spans.map((span) => span.end)),
});

/** Spans of the value in some tokens: the whole value, or every part of a list. `keep` filters single occurrences. */
const findValue = (
  corpus: Corpus,
  page: IndexedPage,
  tokens: readonly Token[],
  query: Query,
  context: string | undefined,
  keep: (at: Occurrence, first: boolean) => boolean,
): Occurrence[] | undefined => {
  const { value } = query;
  const search = (part: Part): Occurrence[] =>
    findPart(page.text, tokens, part, corpus.vocabulary, value.unit, context);
  const whole = search(value.whole).find((at) => keep(at, true));
  if (whole) return [whole];
  if (value.parts.length === 0) return undefined;
  const each = value.parts.map((part) => search(part).filter((at) => keep(at, false)));
  if (each.some((found) => found.length === 0)) return undefined;
  const chosen = each.flatMap((found) => found.slice(0, 1));
  const leader = chosen.reduce((a, b) => (b.from < a.from ? b : a));
  return keep(leader, true) ? chosen : undefined;
};

const inRow = (corpus: Corpus, place: Place, query: Query, stance: Stance): Support | undefined => {
  const { page, passage } = place;
  const cells = passage.cells ?? [];
  const tokens = cells.map((cell) => tokenRange(passage, cell));
  const headers = passage.table?.headers ?? [];
  const isSubject = (list: readonly Token[]): boolean => list.some((token) => !isNumber(token));
  // Codes and symbols may stand before the name: `| 72 | Hf | Hafnium |`.
  const isCode = (list: readonly Token[]): boolean => list.length === 1 && (list[0]?.key.length ?? 0) <= 3;
  const exact = cells.findIndex((cell) =>
    query.entity.keys.has(nameKey(page.text.slice(cell.start, cell.end))),
  );
  const coded = exact > 0 && tokens.slice(0, exact).every((list) => !isSubject(list) || isCode(list));
  const subject = coded ? exact : tokens.findIndex(isSubject);
  const subjectCell = cells[subject];
  const first = subjectCell ? subjectTokens(page.text, passage, subjectCell) : [];
  const isNamed =
    query.entity.names.length > 0 &&
    query.entity.names.some(
      (name, at) =>
        namedAt(page.text, first, name, query.entity.phrases[at] ?? [], corpus.vocabulary).length > 0,
    ) &&
    (query.entity.names.length === 1 || ownNames(corpus, place, query.entity) !== undefined);
  const label = cells.length === 2 && cells[0] ? page.text.slice(cells[0].start, cells[0].end) : undefined;
  const labelled =
    label !== undefined && relation(attributeOf(label), query.column, query.columns) === 'same';
  const single = passage.table?.rows === 1;
  if (stance === 'named' ? !isNamed : !(isNamed || labelled || single)) return undefined;
  for (const [at, cell] of cells.entries()) {
    if ((at === subject && (isNamed || labelled)) || !tokens[at]) continue;
    const header = labelled && !isNamed ? label : headers[at];
    const meaning =
      header === undefined ? 'unknown' : relation(attributeOf(header), query.column, query.columns);
    if (meaning === 'other') continue;
    const strict =
      query.value.ambiguous || (isNumeric(query.value) && (passage.table?.numericColumns ?? 2) > 1);
    if (meaning !== 'same' && (strict || !isNamed)) continue;
    const context = header === undefined ? undefined : unitOfHeader(header);
    if (!findValue(corpus, page, tokens[at], query, context, () => true)) continue;
    const shown = subjectCell && (isNamed || labelled) ? [subjectCell, cell] : [cell];
    return { needed: hull(shown), attribute: meaning === 'same' ? 2 : 0 };
  }
  return undefined;
};

const inField = (corpus: Corpus, place: Place, query: Query): Support | undefined | 'prose' => {
  const { page, passage } = place;
  const label = passage.label ?? '';
  if (query.entity.keys.has(nameKey(label))) return 'prose';
  const labelTokens = tokenize(label);
  const foreign = corpus.namesIn(place).some((name) => name.from === 0 && name.to === labelTokens.length);
  if (foreign) return undefined;
  const meaning = relation(attributeOf(label), query.column, query.columns);
  if (meaning === 'other') return undefined;
  if (meaning === 'unknown') return 'prose';
  const region = passage.tokens.filter((token) => token.start >= (passage.value ?? passage.start));
  const found = findValue(corpus, page, region, query, unitOfHeader(label), () => true);
  if (!found) return undefined;
  const spans = found.map((at) => spanOf(region, at));
  return { needed: { start: passage.start, end: hull(spans).end }, attribute: 2 };
};

const inProse = (
  corpus: Corpus,
  place: Place,
  query: Query,
  stance: Stance,
  hasField: boolean,
): Support | undefined => {
  const { page, passage } = place;
  const own = ownNames(corpus, place, query.entity) ?? [];
  if (stance === 'named' && own.length === 0) return undefined;
  let mentioned = false;
  const keep = (at: Occurrence, first: boolean): boolean => {
    if (own.some((name) => name.from < at.to && at.from < name.to)) return false;
    if (denied(place, at, query.column)) return false;
    if (!first) return true;
    const near = columnNearness(corpus, place, at, query.column, query.columns);
    const needsMention =
      query.value.ambiguous ||
      (hasField && stance === 'about') ||
      (passage.kind === 'field' && isNumeric(query.value) && stance === 'about');
    if (near.taken || (needsMention && !near.mentioned)) return false;
    const free = query.valueIsEntity && stance === 'about';
    if (!free && ownedByOther(corpus, place, at, own, query.entity.keys, stance === 'about')) return false;
    mentioned = near.mentioned;
    return true;
  };
  const found = findValue(corpus, page, passage.tokens, query, undefined, keep);
  if (!found) return undefined;
  const shown = stance === 'named' ? [...found, ...own.slice(0, 1)] : found;
  return { needed: hull(shown.map((at) => spanOf(passage.tokens, at))), attribute: mentioned ? 1 : 0 };
};

/** Whether and how one passage supports a cell. `hasField`: the page has a field or row labelled like the column. */
export const supportIn = (
  corpus: Corpus,
  place: Place,
  query: Query,
  stance: Stance,
  hasField: boolean,
): Support | undefined => {
  const { page, passage } = place;
  if (passage.kind === 'heading') return undefined;
  const qualified = query.entity.qualifiers.every((phrase) =>
    [passage.tokens, ...page.titleReading.segments].some((tokens) =>
      phrase.every((wanted) => tokens.some((token) => token.key === wanted.key)),
    ),
  );
  if (!qualified) return undefined;
  if (passage.kind === 'row') return inRow(corpus, place, query, stance);
  if (passage.kind === 'field') {
    const found =
      stance === 'about' || ownNames(corpus, place, query.entity) ? inField(corpus, place, query) : undefined;
    if (found !== 'prose') return found;
  }
  return inProse(corpus, place, query, stance, hasField);
};

/** True where a passage is a field or a two-column row that is labelled like the column. */
export const isFieldFor = (place: Place, column: Attribute, columns: readonly Attribute[]): boolean => {
  const { passage, page } = place;
  const first = passage.cells?.[0];
  const label =
    passage.label ??
    (first && passage.cells?.length === 2 ? page.text.slice(first.start, first.end) : undefined);
  return label !== undefined && relation(attributeOf(label), column, columns) === 'same';
};
