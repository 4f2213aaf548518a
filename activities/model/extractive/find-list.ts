import { relationIn, splitConditions } from './conditions.ts';
import type { Condition } from './conditions.ts';
import { confirming, fits, saysNumbers, urlsOf, widest } from './list-choice.ts';
import type { Entry } from './list-entries.ts';
import { harvest, pool, relatedTo } from './list-fallback.ts';
import type { ListFit } from './list-fit.ts';
import { intersect, unique } from './list-members.ts';
import { narrower, phraseOf, wordings } from './list-queries.ts';
import { continued, MAX_PAGES, read, search, unread } from './list-steps.ts';
import { done } from './memory.ts';
import type { Budget, Memory, Next } from './memory.ts';
import type { Ranker } from './ranker.ts';
import { simplify } from './simplify.ts';
import { isHan, overlap, terms, words } from './text.ts';

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
