import { extractValue, rowValue } from './extract-value.ts';
import { nameFit } from './name-fit.ts';
import { hasQuality } from './quality.ts';
import type { Found } from './value-from-sentence.ts';
import type { Entry } from './list-entries.ts';
import { columnType } from './column-type.ts';
import { done } from './memory.ts';
import type { Budget, Memory, Next, Query, Want } from './memory.ts';
import { readStructure } from './page-structure.ts';
import type { PageStructure } from './page-structure.ts';
import type { Ranker } from './ranker.ts';
import { coverage, fold, isHan, nameKey, overlap, terms } from './text.ts';

export interface ValueGoal {
  entities: string[];
  noun: string;
  /** A column that ends in `(yes/no)` asks whether the entity is what the column names. */
  columns: string[];
  /** Second try: other wordings, and passages of other pages that mention the entity. */
  retry?: boolean;
}

export interface ValueRow {
  entity: string;
  /** One per column; null where nothing was found. */
  cells: (Found | null)[];
  url: string;
  /** Pages of which only a search passage was seen and that gave a value: to be read, so that it can be cited. */
  unread: string[];
}

const QUALITY = /\s*[(（](?:yes\/no|是\/否)[)）]$/iu;
/** Header of a column that wants yes or no. */
export const qualityColumn = (text: string): string =>
  isHan(text) ? `${text}（是/否）` : `${text} (yes/no)`;
export const isQualityColumn = (column: string): boolean => QUALITY.test(column);

/**
 * Looks up attributes of named entities: one search per entity, the page whose title is the entity, then a second
 * search in other words for cells that are still empty. Reports what was found and leaves the rest empty.
 */
export async function findValues(
  goal: ValueGoal,
  memory: Memory,
  budget: Budget,
  ranker: Ranker,
): Promise<Next<ValueRow[]>> {
  const rows = await readRows(goal, memory, ranker);
  if (budget.turns <= 1) return done(rows);
  const unread = rows.flatMap((row) =>
    row.unread.filter((url) => !memory.opened(url)).map((url) => want(row.entity, goal, url)),
  );
  if (unread.length > 0)
    return { kind: 'access', wants: dedupe(unread, ({ url }) => url).slice(0, budget.width) };
  const missing = rows.filter(({ cells }) => cells.some((cell) => cell === null));
  const first = missing.flatMap((row) => firstRound(row, goal, memory));
  const second = budget.turns > 2 ? missing.flatMap((row) => secondRound(row, goal, memory)) : [];
  for (const round of [first, second]) {
    const wants = dedupe(
      round.flatMap((step) => ('url' in step ? [step] : [])),
      (want) => `${want.url} ${want.page ?? 1}`,
    );
    if (wants.length >= budget.width) return { kind: 'access', wants: wants.slice(0, budget.width) };
    const queries = dedupe(
      round.flatMap((step) => ('query' in step ? [step] : [])),
      ({ query }) => query,
    );
    if (queries.length > 0 && wants.length === 0)
      return { kind: 'search', queries: queries.slice(0, budget.width) };
    if (wants.length > 0) return { kind: 'access', wants };
  }
  return done(rows);
}

function dedupe<T>(items: readonly T[], key: (item: T) => string): T[] {
  return [...new Map(items.map((item) => [key(item), item])).values()];
}

function firstRound({ entity }: ValueRow, goal: ValueGoal, memory: Memory): (Query | Want)[] {
  const page = pagesFor(entity, goal.noun, memory)[0];
  if (page) {
    const seen = memory.pages.find((candidate) => candidate.url === page.url);
    return seen && seen.part < seen.parts && seen.part < 3
      ? [{ ...want(entity, goal, seen.url), page: seen.part + 1 }]
      : [];
  }
  const hit = candidates(entity, goal.noun, memory).find(
    ({ hit: { url }, score }) => score >= 0.75 && !memory.opened(url),
  );
  if (hit) return [want(entity, goal, hit.hit.url)];
  const queries = [entity, isHan(entity) ? `${entity}${goal.noun}` : `${entity} ${goal.noun}`.trim()];
  const query = queries.find((text) => !memory.asked(text));
  return query === undefined ? [] : [{ query, count: 6 }];
}

function secondRound({ entity, cells }: ValueRow, goal: ValueGoal, memory: Memory): (Query | Want)[] {
  const lacking = goal.columns.filter((column, at) => cells[at] === null && !isQualityColumn(column));
  if (lacking.length === 0) return [];
  const query = isHan(entity) ? `${entity}${lacking[0] ?? ''}` : `${entity} ${lacking.join(' ')}`;
  if (!memory.asked(query)) return [{ query, count: 5 }];
  const answers = memory.searches.find((search) => fold(search.query) === fold(query))?.hits ?? [];
  const openedAny = answers.some(
    ({ url }) => memory.opened(url) && !pagesFor(entity, goal.noun, memory).some((page) => page.url === url),
  );
  const hit = answers.find(
    ({ url, title, text }) =>
      !memory.opened(url) &&
      coverage(terms(entity), terms(`${title} ${text}`)) >= 0.99 &&
      titleScore(entity, goal.noun, title) >= 0.5,
  );
  return hit && !openedAny ? [want(entity, goal, hit.url)] : [];
}

const want = (entity: string, goal: ValueGoal, url: string): Want => ({
  url,
  intent: isHan(entity) ? `${entity}：${goal.columns.join('、')}` : `${goal.columns.join(', ')} of ${entity}`,
});

/** How well a page title names an entity, 0..1. A bracket in the title has to fit the class. */
export function titleScore(entity: string, noun: string, title: string): number {
  const bracket = /[(（]([^)）]*)[)）]/u.exec(title)?.[1];
  const wantedBracket = /[(（]([^)）]*)[)）]/u.exec(entity)?.[1];
  const same = nameKey(entity) === nameKey(title);
  if (fold(entity.trim()) === fold(title.trim())) return bracket === undefined ? 1 : 1.02;
  if (same && bracket === undefined) return 0.98;
  if (same)
    return overlap(terms(bracket ?? ''), terms(wantedBracket ?? noun)) > 0.5
      ? 1.01
      : /disambig|消歧/i.test(bracket ?? '')
        ? 0.2
        : 0.8;
  const ordered = overlap(terms(entity), terms(title));
  return isHan(entity) ? 0.6 * ordered : 0.7 * ordered;
}

function candidates(
  entity: string,
  noun: string,
  memory: Memory,
): { hit: Memory['hits'][number]; score: number }[] {
  return memory.hits
    .map((hit, rank) => ({ hit, score: titleScore(entity, noun, hit.title) - 0.0001 * rank }))
    .sort((a, b) => b.score - a.score);
}

/** Pages that were read and are about the entity, best title first. */
function pagesFor(entity: string, noun: string, memory: Memory): { url: string; structure: PageStructure }[] {
  return memory.pages
    .map((page) => ({ url: page.url, structure: memory.structure(page) }))
    .map((page) => ({ ...page, score: titleScore(entity, noun, page.structure.title) }))
    .filter(({ score }) => score >= 0.75)
    .sort((a, b) => b.score - a.score);
}

async function readRows(goal: ValueGoal, memory: Memory, ranker: Ranker): Promise<ValueRow[]> {
  return Promise.all(goal.entities.map((entity) => readRow(entity, goal, memory, ranker)));
}

async function readRow(entity: string, goal: ValueGoal, memory: Memory, ranker: Ranker): Promise<ValueRow> {
  const own = pagesFor(entity, goal.noun, memory);
  const passages = candidates(entity, goal.noun, memory)
    .filter(({ hit, score }) => score >= 0.98 && !own.some(({ url }) => url === hit.url))
    .map(({ hit }) => ({ url: hit.url, structure: readStructure(hit.title, hit.text) }));
  const others = memory.pages.filter((page) => !own.some(({ url }) => url === page.url));
  const unread = new Set<string>();
  const cells = await Promise.all(
    goal.columns.map(async (column) => {
      if (isQualityColumn(column)) return qualityCell(column.replace(QUALITY, ''), own[0]?.structure);
      for (const page of [...own, ...passages]) {
        const found = await extractValue(page.structure, entity, column, ranker);
        if (!found) continue;
        if (!own.includes(page)) unread.add(page.url);
        return found;
      }
      for (const page of others) {
        const found = rowValue(memory.structure(page), entity, column);
        if (found) return found;
      }
      return null;
    }),
  );
  return { entity, cells, url: own[0]?.url ?? passages[0]?.url ?? '', unread: [...unread] };
}

function qualityCell(quality: string, page: PageStructure | undefined): Found | null {
  const verdict = page ? hasQuality(page, quality) : null;
  return verdict === null ? null : { value: verdict ? 'yes' : 'no', quote: '', score: 0.5 };
}

/** What a list already says about an entry in a column; empty where it says nothing. */
export function detailOf(entry: Entry, column: string): string {
  const type = columnType(column);
  for (const { label, value } of entry.details) {
    if (label !== '' && nameFit(type.terms, column, label) >= 0.6) return value;
    const unlabelled = label === '' ? afterName(value, column) : '';
    if (unlabelled !== '') return unlabelled;
  }
  return '';
}

/** `capital Ab` says `Ab` about `capital`. */
function afterName(text: string, column: string): string {
  const bare = column.replace(/\s*[(（].*$/u, '');
  return fold(text).startsWith(fold(bare))
    ? text
        .slice(bare.length)
        .replace(/^\s*[(（][^)）]*[)）]/u, '')
        .replace(/^[\s:：]+/u, '')
        .trim()
    : '';
}
