import { relationIn, splitConditions } from './conditions.ts';
import type { Condition } from './conditions.ts';
import { listsOnPage } from './list-entries.ts';
import type { Entry } from './list-entries.ts';
import { fitList } from './list-fit.ts';
import type { ListFit } from './list-fit.ts';
import { done } from './memory.ts';
import type { Budget, Memory, Next, Query, Want } from './memory.ts';
import { isHan, nameKey, terms, overlap, words } from './text.ts';

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
const HITS = 5;

/**
 * Finds the members of a class: search several wordings, read the pages whose titles fit, take the list whose
 * surroundings fit best; where one list leaves a condition open, cut it with a second list that confirms it.
 */
export function findList(goal: ListGoal, memory: Memory, budget: Budget): Next<ListResult> {
  const { core, conditions } = splitConditions(goal.classPhrase);
  const whole = fits(goal.classPhrase, goal.noun, memory)[0];
  const settled = whole !== undefined && whole.score >= 0.9 && whole.open.length === 0;
  const best = settled || conditions.length === 0 ? whole : (fits(core, goal.noun, memory)[0] ?? whole);
  const pending = settled ? [] : conditions;

  if (budget.turns > 1) {
    const next =
      search(wordings(goal.classPhrase, core, goal.noun), memory, budget, best) ??
      read(core, goal.noun, memory, budget, best);
    if (next) return next;
  }
  if (!best || best.score < USABLE) return done({ entries: [], conditions: pending, urls: [] });
  const openText = best.open.length > 0 ? phraseOf(best.open, core) : '';
  const second = best.open.length > 0 ? confirming(best, core, goal.noun, memory) : null;
  if (best.open.length > 0 && !second && budget.turns > 2) {
    const queries = narrower(best.open, core, goal.noun).filter(({ query }) => !memory.asked(query));
    if (queries.length > 0) return { kind: 'search', queries: queries.slice(0, budget.width) };
    const wants = unread(openText, goal.noun, memory, 3);
    if (wants.length > 0) return { kind: 'access', wants: wants.slice(0, budget.width) };
  }
  const members = second ? intersect(best.entries, second.entries) : best.entries;
  const open = second ? second.open : best.open;
  const relation = open.length > 0 ? relationIn(core) : null;
  const left: Condition[] =
    relation && overlap(terms(relation.text), open) > 0.5
      ? [relation]
      : open.length > 0
        ? [{ kind: 'quality', text: phraseOf(open, core) }]
        : [];
  const urls = memory.pages
    .filter((page) => [best.list.title, second?.list.title].includes(memory.structure(page).title))
    .map(({ url }) => url);
  return done({ entries: unique(members), conditions: [...pending, ...left], urls });
}

function fits(phrase: string, noun: string, memory: Memory): ListFit[] {
  return memory.pages
    .flatMap((page) => listsOnPage(memory.structure(page), noun))
    .map((list) => fitList(list, phrase, noun))
    .filter(({ entries }) => entries.length > 0)
    .sort((a, b) => b.score - a.score || b.entries.length - a.entries.length);
}

function wordings(phrase: string, core: string, noun: string): Query[] {
  const listWord = isHan(core) ? `${core}列表` : `list of ${core}`;
  const texts = [core, listWord, phrase, ...(isHan(core) ? [] : [`${terms(core).join(' ')}`])];
  void noun;
  return [...new Set(texts)].map((query) => ({ query, count: HITS }));
}

/** Searches until two wordings are out, and all of them as long as nothing good has been read. */
function search(
  queries: readonly Query[],
  memory: Memory,
  budget: Budget,
  best: ListFit | undefined,
): Next<ListResult> | null {
  const fresh = queries.filter(({ query }) => !memory.asked(query));
  const started = fresh.length < queries.length;
  if (fresh.length === 0 || (best && best.score >= GOOD)) return null;
  if (started && memory.hits.some((hit) => !memory.opened(hit.url)) && memory.pages.length === 0) return null;
  return { kind: 'search', queries: fresh.slice(0, budget.width) };
}

function read(
  core: string,
  noun: string,
  memory: Memory,
  budget: Budget,
  best: ListFit | undefined,
): Next<ListResult> | null {
  const limit = best && best.score >= GOOD ? 0 : 8;
  if (memory.pages.length >= limit) return continued(memory, best);
  const wants = unread(core, noun, memory, budget.width);
  return wants.length > 0 ? { kind: 'access', wants } : null;
}

/** The next part of the page that the best list stands on, where it was cut. */
function continued(memory: Memory, best: ListFit | undefined): Next<ListResult> | null {
  const page = memory.pages.find(
    (candidate) =>
      best && memory.structure(candidate).title === best.list.title && candidate.part < candidate.parts,
  );
  return page
    ? { kind: 'access', wants: [{ url: page.url, intent: best?.list.title ?? '', page: page.part + 1 }] }
    : null;
}

function unread(phrase: string, noun: string, memory: Memory, limit: number): Want[] {
  const wanted = terms(phrase);
  void noun;
  return memory.hits
    .filter((hit) => !memory.opened(hit.url))
    .map((hit, rank) => ({
      hit,
      score:
        overlap(wanted, terms(hit.title)) +
        0.3 * overlap(wanted, terms(hit.text.slice(0, 300))) -
        0.004 * rank,
    }))
    .sort((a, b) => b.score - a.score)
    .filter(({ score }) => score > 0.15)
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
      first.open.every((term) => !fit.open.includes(term)) &&
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
  if (isHan(core)) return [...core].filter((char) => open.includes(char)).join('') || open.join('');
  const kept = core.split(/\s+/).filter((word) => words(word).some((stemmed) => open.includes(stemmed)));
  return kept.join(' ') || open.join(' ');
}
