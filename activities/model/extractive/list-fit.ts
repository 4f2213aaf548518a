import type { Entry, ListOnPage } from './list-entries.ts';
import { coverHan } from './cover-han.ts';
import { headNoun } from './noun-phrase.ts';
import { coverage, isHan, terms, wordMatch, words } from './text.ts';

/** How well a list answers to a class phrase. */
export interface ListFit {
  list: ListOnPage;
  /** 0..1 */
  score: number;
  /** Terms of the class phrase that nothing around the list confirms, in the phrase's order. */
  open: string[];
  /** Entries left after conditions that the list itself can check, e.g. a yes/no column. */
  entries: Entry[];
  /** True where the title narrows a name of the phrase; see `narrowedIn`. */
  narrowed: boolean;
}

const GENERIC = new Set('list table index overview catalogue full complete known 列表 名单 表'.split(' '));
/** The noun says little: almost any page of a topic carries it. */
const NOUN_WEIGHT = 0.4;
const FORM_BONUS = { table: 0.04, bullets: 0.04, prose: 0.02, field: 0 } as const;

/** Fit of one list to a class phrase; `noun` is weighed less than its modifiers. */
export function fitList(list: ListOnPage, phrase: string, noun: string): ListFit {
  return isHan(phrase) ? fitHan(list, phrase, noun) : fitWords(list, phrase, noun);
}

function fitHan(list: ListOnPage, phrase: string, noun: string): ListFit {
  const title = `${list.title} ${list.heading}`.replace(/(?:列表|名单|一览表?)/gu, '');
  const { total, met, open } = coverHan(phrase, noun, title);
  const inLead = list.kind === 'prose' || list.kind === 'field' ? coverHan(phrase, noun, list.lead) : null;
  const hasNoun = title.includes(noun) ? NOUN_WEIGHT : 0;
  const best = Math.max(met, inLead ? 0.8 * inLead.met : 0);
  const covered = (best / Math.max(1, total) + hasNoun) / (1 + NOUN_WEIGHT);
  const back = coverHan(title.trim(), noun, phrase);
  const focus = back.total === 0 ? 1 : back.met / back.total;
  const tied = list.kind !== 'field' || (inLead?.met ?? 0) > 0;
  const score = tied ? 0.72 * covered + 0.24 * focus * Math.min(1, 2 * covered) + FORM_BONUS[list.kind] : 0;
  return { list, score, open, entries: list.entries, narrowed: false };
}

function fitWords(list: ListOnPage, phrase: string, noun: string): ListFit {
  const classTerms = [...new Set(terms(phrase))];
  const nounTerms = terms(`${noun} ${headNoun(phrase)}`);
  const title = `${list.title} ${list.heading}`;
  const titleTerms = terms(title).filter((term) => !GENERIC.has(term));
  const leadTerms = terms(list.lead);
  const narrowedTerms = narrowedIn(title, phrase);
  let weight = 0;
  let met = 0;
  const open: string[] = [];
  let entries = list.entries;
  for (const term of classTerms) {
    const isNoun = matchesAny(term, nounTerms);
    const own = isNoun ? NOUN_WEIGHT : 1;
    const inTitle = isNoun
      ? coverageOfAny(nounTerms, titleTerms)
      : coverage([term], titleTerms) * (narrowedTerms.includes(term) ? 0.5 : 1);
    const inLead =
      list.kind === 'bullets' || list.kind === 'table'
        ? 0.5 * coverage([term], leadTerms)
        : 0.8 * coverage([term], leadTerms);
    weight += own;
    met += own * Math.max(inTitle, inLead);
    if (Math.max(inTitle, inLead) > 0 || isNoun) continue;
    const checked = checkInEntries(entries, term);
    if (checked) {
      entries = checked;
      met += 0.9 * own;
    } else open.push(term);
  }
  const known = [...classTerms, ...nounTerms];
  const tied =
    list.kind !== 'field' ||
    classTerms.some((term) => !matchesAny(term, nounTerms) && coverage([term], leadTerms) > 0);
  const focus = titleTerms.length === 0 ? 0 : coverage(titleTerms, known);
  const covered = weight === 0 ? 0 : met / weight;
  const score = !tied ? 0 : 0.72 * covered + 0.24 * focus * Math.min(1, 2 * covered) + FORM_BONUS[list.kind];
  return { list, score, open, entries, narrowed: narrowedTerms.length > 0 };
}

const matchesAny = (term: string, others: readonly string[]): boolean =>
  others.some((other) => wordMatch(other, term) > 0);

const coverageOfAny = (needles: readonly string[], haystack: readonly string[]): number =>
  Math.max(0, ...needles.map((needle) => coverage([needle], haystack)));

/**
 * Names of the phrase that the title carries only as a part of another name: `Western Foo` is not `Foo`. A list with
 * such a title holds a part of the class at best.
 */
function narrowedIn(title: string, phrase: string): string[] {
  const own = new Set(words(phrase));
  const found = title.matchAll(/(\p{Lu}[\p{L}-]*)\s+(\p{Lu}[\p{L}-]*)/gu);
  const pairs = [
    ...found,
    ...title.slice(title.indexOf(' ') + 1).matchAll(/(\p{Lu}[\p{L}-]*)\s+(\p{Lu}[\p{L}-]*)/gu),
  ];
  const first = title.split(/\s/)[0] ?? '';
  return pairs
    .filter(([, before = '']) => before !== first && !words(before).some((word) => own.has(word)))
    .flatMap(([, , name = '']) => words(name).filter((word) => own.has(word)));
}

/** Rows that a yes/no column or a value confirms for a term; null where the list is silent about it. */
function checkInEntries(entries: readonly Entry[], term: string): Entry[] | null {
  const flags = entries.map(({ details }) => details.find(({ label }) => coverage([term], terms(label)) > 0));
  if (
    flags.some(Boolean) &&
    flags.every((flag) => !flag || /^(?:yes|no|true|false|x|✓|✗|是|否)$/i.test(flag.value))
  ) {
    return entries.filter((_, at) => /^(?:yes|true|x|✓|是)$/i.test(flags[at]?.value ?? ''));
  }
  const said = entries.filter(({ details }) =>
    details.some(({ value }) => (isHan(term) ? value.includes(term) : coverage([term], terms(value)) === 1)),
  );
  return said.length > 0 && said.length < entries.length ? said : null;
}
