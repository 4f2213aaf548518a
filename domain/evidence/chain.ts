import { groundAnswer } from './answer.ts';
import type { EvidencePage } from './corpus.ts';
import { isUnspaced } from './fold.ts';
import { passagesOf, sentencesOf } from './passages.ts';
import { quoteAround } from './quote.ts';
import { tokenize } from './tokens.ts';

/** One step of the reasoning behind an answer: what is claimed and the words of a page that carry it. */
export interface ChainLink {
  claim: string;
  url: string;
  title: string;
  /** Exact substring of the page's stored text. */
  quote: string;
  /** Hash of the page's stored text. */
  page: string;
}

/** Steps back from the answer along the titles of pages. */
const HOPS = 3;
const MAX_LINKS = 20;
const PAGES_PER_CLAIM = 3;
/** Share of a sentence's words that a passage and its page's title must hold. */
const COVERED = 0.6;
const MIN_WORDS = 3;

const plain = (text: string): string =>
  text
    .replace(/\\boxed\{[^{}]*\}/g, ' ')
    .replace(/<?https?:\/\/\S+/g, ' ')
    .replace(/[*_`#>[\]()]/g, ' ')
    .replace(/[ \t]+/g, ' ');

/** Weight of a word: a Chinese character says less than a word. */
const weight = (key: string): number => (isUnspaced(key) ? 0.5 : 1);
const keysOf = (text: string): Set<string> => new Set(tokenize(text).map(({ key }) => key));
const COMMON = keysOf(
  'the a an of in on at for by to and or is are was were it its this that as with from be has had have so therefore thus answer 的 是 了 在 和 与 所以 因此 答案',
);

/**
 * What supports a single answer, from the first step to the last: pages that lead to the page with the answer (their
 * passages name it beside words of the question), what the agent said on the way, each sentence with the passages that
 * hold it, and every page that holds the answer itself. Only what stands in the pages is quoted; a claim that no page
 * holds is left out. At most 20 links.
 */
export function evidenceChain(
  { answer, text, question }: { answer: string; text: string; question: string },
  pages: readonly EvidencePage[],
): ChainLink[] {
  const links: ChainLink[] = [];
  const seen = new Set<string>();
  const add = (link: ChainLink | null, first = false): boolean => {
    const name = link && JSON.stringify([link.url, link.quote]);
    if (!link || !name || seen.has(name)) return false;
    seen.add(name);
    if (first) links.unshift(link);
    else links.push(link);
    return true;
  };
  const said = sentencesIn(text).flatMap((claim) => supportOf(claim, pages));
  for (const link of said) add(link);
  const ends = pages.filter((page) => add(grounded(answer, question, page)));
  for (const link of leadingTo(ends, question, pages)) add(link, true);
  return links.length <= MAX_LINKS ? links : [...links.slice(0, 4), ...links.slice(4 - MAX_LINKS)];
}

const grounded = (claim: string, question: string, page: EvidencePage): ChainLink | null => {
  const found = groundAnswer(claim, question, [page]);
  return found && { claim, ...found };
};

/** Pages whose passages name the title of a page that is in the chain already, nearest to the answer first. */
function leadingTo(
  ends: readonly EvidencePage[],
  question: string,
  pages: readonly EvidencePage[],
): ChainLink[] {
  const links: ChainLink[] = [];
  const used = new Set(ends);
  const asked = keysOf(question);
  let reached = [...ends];
  for (let hop = 0; hop < HOPS && reached.length > 0; hop += 1) {
    const next: EvidencePage[] = [];
    for (const { title } of reached) {
      // What the question itself names needs no page that leads to it.
      if ([...keysOf(title)].every((key) => asked.has(key))) continue;
      for (const page of pages) {
        const link = used.has(page) ? null : grounded(title, question, page);
        if (!link) continue;
        links.push(link);
        used.add(page);
        next.push(page);
      }
    }
    reached = next;
  }
  return links;
}

const sentencesIn = (text: string): string[] => {
  const bare = plain(text);
  return bare
    .split('\n')
    .flatMap((line) =>
      sentencesOf(line, { start: 0, end: line.length }).map(({ start, end }) => line.slice(start, end)),
    )
    .filter((sentence) => contentOf(sentence).size >= MIN_WORDS);
};

const contentOf = (text: string): Set<string> => new Set([...keysOf(text)].filter((key) => !COMMON.has(key)));

/** The passages, one a page, that hold a sentence's words and all of its numbers. */
function supportOf(claim: string, pages: readonly EvidencePage[]): ChainLink[] {
  const wanted = [...contentOf(claim)];
  const numbers = wanted.filter((key) => key.startsWith('#'));
  const total = wanted.reduce((sum, key) => sum + weight(key), 0);
  const found = pages.flatMap((page) => {
    const title = keysOf(page.title);
    const ranked = passagesOf(page.text)
      .filter(({ kind }) => kind !== 'heading')
      .map((passage) => {
        const here = new Set(passage.tokens.map(({ key }) => key));
        const own = wanted.filter((key) => here.has(key));
        const met = wanted.filter((key) => here.has(key) || title.has(key));
        const whole = numbers.every((key) => here.has(key));
        const score = met.reduce((sum, key) => sum + weight(key), 0) / total;
        return { passage, score: whole && own.length > 1 ? score + own.length / 1_000 : 0 };
      })
      .sort((a, b) => b.score - a.score);
    const [best] = ranked;
    if (!best || best.score < COVERED) return [];
    const { passage, score } = best;
    const quote = quoteAround(page.text, passage, {
      start: passage.start,
      end: Math.min(passage.end, passage.start + 200),
    });
    return quote === undefined
      ? []
      : [{ score, link: { claim, url: page.url, title: page.title, quote, page: page.ref } }];
  });
  return found
    .sort((a, b) => b.score - a.score)
    .slice(0, PAGES_PER_CLAIM)
    .map(({ link }) => link);
}
