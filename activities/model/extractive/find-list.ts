import { relationIn, splitConditions } from './conditions.ts';
import type { Condition } from './conditions.ts';
import { extractValue } from './extract-value.ts';
import { titleScore } from './find-values.ts';
import { listsOnPage } from './list-entries.ts';
import type { Entry } from './list-entries.ts';
import { fitList } from './list-fit.ts';
import type { ListFit } from './list-fit.ts';
import { done } from './memory.ts';
import type { Budget, Memory, Next, Query, Want } from './memory.ts';
import { headNoun } from './noun-phrase.ts';
import { readStructure } from './page-structure.ts';
import { hasQuality } from './quality.ts';
import type { Ranker } from './ranker.ts';
import { modifiersOf, simplify } from './simplify.ts';
import { coverage, isHan, nameKey, overlap, splitEnumeration, terms, wordMatch, words } from './text.ts';

export interface ListGoal {
  classPhrase: string;
  noun: string;
}

export interface ListResult {
  entries: Entry[];
  /** Conditions that no list page settled; to be checked on each entity. */
  conditions: Condition[];
  /** Pages the list came from. */
  urls: string[];
}

const GOOD = 0.8;
const USABLE = 0.42;
/** Below this, what an entity's own page says of its relations is trusted more than a list. */
const RELATED = 0.6;
const HITS = 8;
const MAX_PAGES = 10;

/**
 * Finds the members of a class: search several wordings, read the pages whose titles fit, take the list whose
 * surroundings fit best; where one list leaves a condition open, cut it with a second list that confirms it. Where no
 * list is wide enough but conditions can be checked later, the candidates are pooled from several lists.
 */
export async function findList(
  goal: ListGoal,
  memory: Memory,
  budget: Budget,
  ranker: Ranker,
): Promise<Next<ListResult>> {
  const { core: rawCore, conditions } = splitConditions(goal.classPhrase);
  const core = simplify(rawCore);
  const coreBest = widest(fits(core, goal.noun, memory));
  const whole =
    conditions.length === 0
      ? undefined
      : fits(simplify(goal.classPhrase), goal.noun, memory).find(
          (fit) => saysNumbers(fit, goal.classPhrase) && fit.score >= (coreBest?.score ?? 0) - 0.05,
        );
  const best = whole ?? coreBest;
  const pending = whole ? [] : conditions;
  const enough = best !== undefined && best.score >= (whole ? 0.6 : GOOD);

  if (budget.turns > 1) {
    const next = enough
      ? continued(memory, best)
      : (search(wordings(goal.classPhrase, core, goal.noun, conditions.length > 0), memory, budget) ??
        read([core, simplify(goal.classPhrase)], memory, budget));
    if (next) return next;
  }
  if (whole)
    return done({ entries: unique(best?.entries ?? []), conditions: [], urls: urlsOf([whole], memory) });
  if (!best || best.score < RELATED) {
    const related = await relatedTo(core, memory, ranker);
    if (related) return done({ entries: unique(related.entries), conditions: pending, urls: [related.url] });
  }
  if (!best || best.score < USABLE) {
    const pooled = pool(core, goal.noun, memory, pending);
    return done(pooled.entries.length > 0 ? pooled : harvest(core, goal.noun, memory, pending));
  }
  return cut(best, core, goal.noun, memory, budget, pending);
}

/** Settles what the best list leaves open: a second list, or conditions for each entity's own page. */
function cut(
  best: ListFit,
  core: string,
  noun: string,
  memory: Memory,
  budget: Budget,
  pending: Condition[],
): Next<ListResult> {
  const names = best.open.filter((term) => isHan(core) || isNameIn(core, term));
  const second = names.length > 0 ? confirming({ ...best, open: names }, core, noun, memory) : null;
  if (names.length > 0 && !second && budget.turns > 2) {
    const queries = narrower(names, core, noun).filter(({ query }) => !memory.asked(query));
    if (queries.length > 0) return { kind: 'search', queries: queries.slice(0, budget.width) };
    const wants = memory.pages.length < MAX_PAGES + 4 ? unread([phraseOf(names, core)], memory, 3) : [];
    if (wants.length > 0) return { kind: 'access', wants: wants.slice(0, budget.width) };
  }
  const members = second ? intersect(best.entries, second.entries) : best.entries;
  const open = second
    ? best.open.filter((term) => !names.includes(term) || second.open.includes(term))
    : best.open;
  return done({
    entries: unique(members),
    conditions: [...pending, ...leftOver(open, core)],
    urls: urlsOf(second ? [best, second] : [best], memory),
  });
}

/**
 * The best list, but a wider one where the best covers only a part by its title; several such parts make one list.
 */
function widest(ranked: readonly ListFit[]): ListFit | undefined {
  const [first] = ranked;
  if (!first?.narrowed) return first;
  const wider = ranked.find(
    (fit) => !fit.narrowed && fit.list.kind !== 'field' && fit.score >= 0.5 && fit.entries.length > 1,
  );
  if (wider) return wider;
  const parts = ranked.filter(
    (fit) => fit.narrowed && fit.score > first.score - 0.08 && fit.list.kind !== 'field',
  );
  return { ...first, entries: parts.flatMap(({ entries }) => entries) };
}

/** Last resort: items whose own pages turned up in the searches and say that they belong to the class. */
function harvest(core: string, noun: string, memory: Memory, pending: Condition[]): ListResult {
  const kinds = terms(`${noun} ${headNoun(core)}`);
  const wanted = terms(core).filter((term) => !kinds.some((kind) => wordMatch(kind, term) > 0));
  const named = memory.hits.filter((hit) => {
    if (isHan(hit.title) !== isHan(core) || coverage(kinds, terms(hit.title)) > 0) return false;
    const page = readStructure(hit.title, hit.text);
    return wanted.length > 0 && wanted.every((term) => hasQuality(page, term) === true);
  });
  return {
    entries: unique(named.map(({ title }) => ({ name: title, details: [] }))),
    conditions: pending,
    urls: named.map(({ url }) => url),
  };
}

/** Members that the page of the phrase's object names itself: what `Ab` says that it borders. */
async function relatedTo(
  core: string,
  memory: Memory,
  ranker: Ranker,
): Promise<{ entries: Entry[]; url: string } | null> {
  const relation = relationIn(core);
  if (!relation) return null;
  for (const page of memory.pages) {
    const structure = memory.structure(page);
    if (titleScore(relation.text, '', structure.title) < 0.9) continue;
    const found = await extractValue(structure, relation.text, relation.column, ranker);
    const names = splitEnumeration(found?.value ?? '').filter(
      (name) => isHan(name) || /^\p{Lu}/u.test(name.replace(/^the\s+/, '')),
    );
    if (names.length > 0)
      return {
        entries: names.map((name) => ({ name: name.replace(/^the\s+/, ''), details: [] })),
        url: page.url,
      };
  }
  return null;
}

/** True for a term that the phrase writes with a capital letter. */
const isNameIn = (core: string, term: string): boolean =>
  core.split(/\s+/).some((word) => /^\p{Lu}/u.test(word) && words(word).includes(term));

/** A relation stays one condition; other open terms are checked one by one. */
function leftOver(open: readonly string[], core: string): Condition[] {
  const relation = open.length > 0 ? relationIn(core) : null;
  if (relation && overlap(terms(relation.text), open) > 0.5) return [relation];
  if (isHan(core)) return open.map((text) => ({ kind: 'quality', text }));
  return open.map((term) => ({ kind: 'quality', text: phraseOf([term], core) }));
}

/** True where a list's title carries the very numbers of the conditions. */
function saysNumbers(fit: ListFit, phrase: string): boolean {
  const numbers = phrase.match(/\d[\d,.]*\d|\d/g) ?? [];
  const title = `${fit.list.title} ${fit.list.heading}`;
  return numbers.length > 0 && fit.score > 0.45 && numbers.every((number) => title.includes(number));
}

/** Members of every list of the right kind that was read; only worth while something is left to check them by. */
function pool(core: string, noun: string, memory: Memory, pending: Condition[]): ListResult {
  const kinds = terms(`${noun} ${headNoun(core)}`);
  const lists = fits(core, noun, memory).filter(
    ({ list }) => list.kind !== 'field' && coverage(kinds, terms(`${list.title} ${list.heading}`)) > 0,
  );
  if (pending.length === 0 || lists.length === 0) return { entries: [], conditions: pending, urls: [] };
  return {
    entries: unique(lists.flatMap(({ entries }) => entries)),
    conditions: pending,
    urls: urlsOf(lists, memory),
  };
}

const urlsOf = (fitted: readonly ListFit[], memory: Memory): string[] =>
  memory.pages
    .filter((page) => fitted.some(({ list }) => list.title === memory.structure(page).title))
    .map(({ url }) => url);

/** All lists that were read, best fit first. Prose beside a proper list on the same page only comments on it. */
function fits(phrase: string, noun: string, memory: Memory): ListFit[] {
  return memory.pages
    .flatMap((page) => {
      const lists = listsOnPage(memory.structure(page), noun);
      const hasProper = lists.some(
        (list) => (list.kind === 'table' || list.kind === 'bullets') && list.entries.length >= 3,
      );
      return lists.map((list) => {
        const fit = fitList(list, phrase, noun);
        return hasProper && list.kind === 'prose' ? { ...fit, score: 0.8 * fit.score } : fit;
      });
    })
    .filter(({ entries }) => entries.length > 0)
    .sort((a, b) => b.score - a.score || b.entries.length - a.entries.length);
}

function wordings(phrase: string, core: string, noun: string, conditioned: boolean): Query[] {
  const related = relationIn(core)?.text;
  const texts = isHan(core)
    ? [
        core,
        `${core}列表`,
        ...(conditioned ? [phrase] : []),
        ...objectsOf(core, noun),
        ...(related ? [related] : []),
      ]
    : [
        core,
        `list of ${core}`,
        ...(conditioned ? [simplify(phrase)] : []),
        ...objectWordings(core),
        related ?? modifiersOf(core),
      ];
  const fresh = [...new Set(texts.map((text) => text.trim()))].filter(
    (text) => text !== '' && text !== '列表',
  );
  return fresh.map((query) => ({ query, count: HITS }));
}

/** `甲类物品属于乙` is listed under `乙`: the parts of a Chinese phrase that do not hold the noun. */
function objectsOf(phrase: string, noun: string): string[] {
  const parts = phrase
    .split(/属于|位于|处于|呈|是|在|的/u)
    .filter((part) => part.length >= 2 && !part.endsWith(noun));
  const rest = modifiersOf(phrase);
  const ends =
    rest.length > 3 ? [`${rest.slice(0, 2)}${noun}列表`, `${rest.slice(-2)}${noun}列表`] : [`${rest}列表`];
  return [...parts.map((part) => `${part}列表`), ...ends];
}

/** A title often names only what the class is tied to: `list of X`, `members of X`. */
function objectWordings(core: string): string[] {
  const [, before = '', object = ''] =
    /^(.+?)\s+(?:in|of|by|on|at|among)\s+(?:the\s+)?(.+)$/iu.exec(core) ?? [];
  if (object === '') return [`list of ${modifiersOf(core)}`];
  const short = object.replace(/\s+(?:of|in)\s+(?:the\s+)?.+$/iu, '');
  const noun = before.split(/\s+/).at(-1) ?? '';
  return [`list of ${short}`, `${noun} of ${short}`];
}

/** The first wordings at once; the others once what they brought has been read. */
function search(queries: readonly Query[], memory: Memory, budget: Budget): Next<ListResult> | null {
  const fresh = queries.filter(({ query }) => !memory.asked(query));
  const waiting = memory.hits.some((hit) => !memory.opened(hit.url));
  if (fresh.length === 0 || (fresh.length < queries.length && waiting && memory.pages.length === 0))
    return null;
  return { kind: 'search', queries: fresh.slice(0, budget.width) };
}

function read(phrases: readonly string[], memory: Memory, budget: Budget): Next<ListResult> | null {
  if (memory.pages.length >= MAX_PAGES) return null;
  const wants = unread(phrases, memory, budget.width);
  return wants.length > 0 ? { kind: 'access', wants } : null;
}

/** The next part of the page that the best list stands on, where it was cut. */
function continued(memory: Memory, best: ListFit): Next<ListResult> | null {
  const page = memory.pages.find(
    (candidate) => memory.structure(candidate).title === best.list.title && candidate.part < candidate.parts,
  );
  return page
    ? { kind: 'access', wants: [{ url: page.url, intent: best.list.title, page: page.part + 1 }] }
    : null;
}

function unread(phrases: readonly string[], memory: Memory, limit: number): Want[] {
  const wanted = phrases.map(terms);
  const [phrase = ''] = phrases;
  const related = relationIn(phrase)?.text ?? '';
  const fit = (title: string): number =>
    related !== '' && nameKey(title) === nameKey(related)
      ? 0.7
      : Math.max(...wanted.map((list) => overlap(list, terms(title))));
  return memory.hits
    .filter((hit) => !memory.opened(hit.url) && isHan(hit.title) === isHan(phrase))
    .map((hit, rank) => ({ hit, score: fit(hit.title) + 0.2 * fit(hit.text.slice(0, 300)) - 0.004 * rank }))
    .sort((a, b) => b.score - a.score)
    .filter(({ score }) => score > 0.2)
    .slice(0, limit)
    .map(({ hit }) => ({
      url: hit.url,
      intent: isHan(phrase) ? `${phrase}的完整名单` : `the complete list of ${phrase}`,
    }));
}

/** Searches for a list that settles what the best one leaves open. */
function narrower(open: readonly string[], core: string, noun: string): Query[] {
  const openText = phraseOf(open, core);
  const han = isHan(core);
  return [
    han ? `${openText}${noun}` : `${noun} ${openText}`,
    han ? `${openText}列表` : `list of ${openText} ${noun}`,
  ].map((query) => ({ query, count: HITS }));
}

/** The best list about the open terms that shares members with the first one. */
function confirming(first: ListFit, core: string, noun: string, memory: Memory): ListFit | null {
  const lower = core.split(/\s+/).filter((word) => /^\p{Ll}/u.test(word));
  const phrase = `${phraseOf(first.open, core)} ${isHan(core) ? noun : lower.join(' ')}`;
  const candidates = fits(phrase, noun, memory).filter(
    (fit) =>
      fit.list !== first.list &&
      fit.list.title !== first.list.title &&
      first.open.some((term) => !fit.open.includes(term)) &&
      !fit.narrowed &&
      fit.list.kind !== 'field',
  );
  return (
    candidates.find((fit) => fit.score > 0.55 && intersect(first.entries, fit.entries).length > 0) ?? null
  );
}

function intersect(a: readonly Entry[], b: readonly Entry[]): Entry[] {
  const keys = new Map(b.map((entry) => [nameKey(entry.name), entry]));
  return a.flatMap((entry) => {
    const other = keys.get(nameKey(entry.name));
    return other ? [{ name: entry.name, details: [...entry.details, ...other.details] }] : [];
  });
}

function unique(entries: readonly Entry[]): Entry[] {
  const seen = new Set<string>();
  return entries.filter(({ name }) => {
    const key = nameKey(name);
    if (key === '' || seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** The open terms as the phrase words them. */
function phraseOf(open: readonly string[], core: string): string {
  if (isHan(core)) return open.join('');
  const kept = core.split(/\s+/).filter((word) => words(word).some((stemmed) => open.includes(stemmed)));
  return kept.join(' ') || open.join(' ');
}
