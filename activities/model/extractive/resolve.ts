import { extractValue } from './extract-value.ts';
import { detailOf, findValues, titleScore } from './find-values.ts';
import { listsOnPage } from './list-entries.ts';
import { done } from './memory.ts';
import type { Budget, Memory, Next } from './memory.ts';
import type { Ranker } from './ranker.ts';
import { referenceIn } from './references.ts';
import type { Reference } from './references.ts';
import { coverage, isHan, nameKey, overlap, terms } from './text.ts';
import { formatCell } from './values-format.ts';

/** Replaces indirect parts of a phrase by names, one after another; a part that cannot be found stays as it is. */
export async function resolvePhrase(
  phrase: string,
  memory: Memory,
  budget: Budget,
  ranker: Ranker,
): Promise<Next<string>> {
  let current = phrase;
  for (let hop = 0; hop < 3; hop += 1) {
    const reference = referenceIn(current);
    if (!reference) break;
    const found = await resolveReference(reference, memory, budget, ranker);
    if (found.kind !== 'done') return found;
    if (found.result === null) break;
    current = reference.rewrite(found.result);
  }
  return done(current);
}

/** The name behind one reference, or null where the pages that were found do not tell it. */
export async function resolveReference(
  reference: Reference,
  memory: Memory,
  budget: Budget,
  ranker: Ranker,
): Promise<Next<string | null>> {
  if (reference.kind === 'owner') return findOwner(reference, memory, budget, ranker);
  const { entity, attribute } = reference;
  const found = await findValues(
    { entities: [entity], noun: '', columns: [attribute] },
    memory,
    budget,
    ranker,
  );
  if (found.kind !== 'done') return found;
  const value = found.result[0]?.cells[0]?.value;
  return done(value === undefined ? null : formatCell(value, attribute));
}

/** Finds the entity whose attribute has a value: searches for both and checks the candidates' own pages. */
async function findOwner(
  { noun, attribute, value }: Extract<Reference, { kind: 'owner' }>,
  memory: Memory,
  budget: Budget,
  ranker: Ranker,
): Promise<Next<string | null>> {
  const wanted = nameKey(value);
  const owners: { title: string; score: number }[] = [];
  for (const page of memory.pages) {
    const structure = memory.structure(page);
    const { title } = structure;
    const told =
      isHan(title) === isHan(noun) ? await extractValue(structure, title, attribute, ranker) : null;
    const key = nameKey(told?.value ?? '');
    if (!told || nameKey(title) === wanted || !(key === wanted || ` ${key} `.includes(` ${wanted} `)))
      continue;
    const several = /\sand\s|disambig|消歧|与|和/iu.test(title) ? 0.5 : 1;
    owners.push({ title, score: told.score * several * (key === wanted ? 1 : 0.6) });
  }
  const best = owners.sort((a, b) => b.score - a.score)[0];
  if (best && best.score > 0.3) return done(best.title);
  for (const page of memory.pages) {
    for (const { entries } of listsOnPage(memory.structure(page), noun)) {
      const entry = entries.find((candidate) => nameKey(detailOf(candidate, attribute)) === wanted);
      if (entry) return done(entry.name);
    }
    for (const table of memory.structure(page).tables) {
      const at = table.columns.findIndex((column) => overlap(terms(column), terms(attribute)) > 0.6);
      const row = at < 0 ? undefined : table.rows.find((cells) => nameKey(cells[at] ?? '') === wanted);
      if (row?.[0]) return done(row[0]);
    }
  }
  if (budget.turns <= 1) return done(null);
  const queries = (
    isHan(noun + attribute)
      ? [`${value} ${attribute}`, `${attribute}为${value}的${noun}`, value]
      : [`${value} ${attribute} ${noun}`, `${noun} with ${attribute} ${value}`, value]
  )
    .filter((query) => !memory.asked(query))
    .map((query) => ({ query, count: 5 }));
  const unread = memory.hits
    .filter(({ url }) => !memory.opened(url))
    .map((hit) => ({
      hit,
      score:
        coverage(terms(value), terms(hit.text)) +
        0.5 * coverage(terms(attribute), terms(hit.text)) -
        titleScore(value, noun, hit.title) * 0.3,
    }))
    .filter(({ score }) => score >= 0.9)
    .sort((a, b) => b.score - a.score);
  const readSoFar = memory.pages.length;
  if (unread.length > 0 && readSoFar < 10)
    return {
      kind: 'access',
      wants: unread
        .slice(0, budget.width)
        .map(({ hit }) => ({ url: hit.url, intent: `${attribute}: ${value}` })),
    };
  if (queries.length > 0) return { kind: 'search', queries: queries.slice(0, budget.width) };
  return done(null);
}
