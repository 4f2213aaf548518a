import { relationIn } from './conditions.ts';
import type { ListResult } from './find-list.ts';
import type { ListFit } from './list-fit.ts';
import type { Budget, Memory, Next, Query, Want } from './memory.ts';
import { isHan, nameKey, overlap, terms } from './text.ts';

export const MAX_PAGES = 10;

/** The first wordings at once; the others once what they brought has been read. */
export function search(queries: readonly Query[], memory: Memory, budget: Budget): Next<ListResult> | null {
  const fresh = queries.filter(({ query }) => !memory.asked(query));
  const waiting = memory.hits.some((hit) => !memory.opened(hit.url));
  if (fresh.length === 0 || (fresh.length < queries.length && waiting && memory.pages.length === 0))
    return null;
  return { kind: 'search', queries: fresh.slice(0, budget.width) };
}

export function read(phrases: readonly string[], memory: Memory, budget: Budget): Next<ListResult> | null {
  if (memory.pages.length >= MAX_PAGES) return null;
  const wants = unread(phrases, memory, budget.width);
  return wants.length > 0 ? { kind: 'access', wants } : null;
}

/** The next part of the page that the best list stands on, where it was cut. */
export function continued(memory: Memory, best: ListFit): Next<ListResult> | null {
  const page = memory.pages.find(
    (candidate) => memory.structure(candidate).title === best.list.title && candidate.part < candidate.parts,
  );
  return page
    ? { kind: 'access', wants: [{ url: page.url, intent: best.list.title, page: page.part + 1 }] }
    : null;
}

export function unread(phrases: readonly string[], memory: Memory, limit: number): Want[] {
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
