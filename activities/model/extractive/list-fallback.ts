import { type Condition, relationIn } from './conditions.ts';
import { extractValue } from './extract-value.ts';
import type { ListResult } from './find-list.ts';
import { titleScore } from './find-values.ts';
import { fits, urlsOf } from './list-choice.ts';
import type { Entry } from './list-entries.ts';
import { unique } from './list-members.ts';
import type { Memory } from './memory.ts';
import { headNoun } from './noun-phrase.ts';
import { readStructure } from './page-structure.ts';
import { hasQuality } from './quality.ts';
import type { Ranker } from './ranker.ts';
import { coverage, isHan, splitEnumeration, terms, wordMatch } from './text.ts';

/** Last resort: items whose own pages turned up in the searches and say that they belong to the class. */
export function harvest(core: string, noun: string, memory: Memory, pending: Condition[]): ListResult {
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
export async function relatedTo(
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

/** Members of every list of the right kind that was read; only worth while something is left to check them by. */
export function pool(core: string, noun: string, memory: Memory, pending: Condition[]): ListResult {
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
