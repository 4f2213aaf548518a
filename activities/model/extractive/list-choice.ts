import { listsOnPage } from './list-entries.ts';
import { fitList } from './list-fit.ts';
import type { ListFit } from './list-fit.ts';
import { intersect } from './list-members.ts';
import { phraseOf } from './list-queries.ts';
import type { Memory } from './memory.ts';
import { isHan } from './text.ts';

/** All lists that were read, best fit first. Prose beside a proper list on the same page only comments on it. */
export function fits(phrase: string, noun: string, memory: Memory): ListFit[] {
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

/**
 * The best list, but a wider one where the best covers only a part by its title; several such parts make one list.
 */
export function widest(ranked: readonly ListFit[]): ListFit | undefined {
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

/** True where a list's title carries the very numbers of the conditions. */
export function saysNumbers(fit: ListFit, phrase: string): boolean {
  const numbers = phrase.match(/\d[\d,.]*\d|\d/g) ?? [];
  const title = `${fit.list.title} ${fit.list.heading}`;
  return numbers.length > 0 && fit.score > 0.45 && numbers.every((number) => title.includes(number));
}

/** The best list about the open terms that shares members with the first one. */
export function confirming(first: ListFit, core: string, noun: string, memory: Memory): ListFit | null {
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

export const urlsOf = (fitted: readonly ListFit[], memory: Memory): string[] =>
  memory.pages
    .filter((page) => fitted.some(({ list }) => list.title === memory.structure(page).title))
    .map(({ url }) => url);
