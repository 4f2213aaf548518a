import { attributeOf } from './concepts.ts';
import { corpusOf } from './corpus.ts';
import type { EvidencePage } from './corpus.ts';
import { denied } from './guards.ts';
import { better } from './candidate.ts';
import type { Candidate } from './candidate.ts';
import { quoteAround } from './quote.ts';
import { isUnspaced } from './fold.ts';
import { tokenize } from './tokens.ts';
import { findPart, valueOf } from './value.ts';

/** Where a single answer stands: the page and a quote that is a substring of its stored text. */
export interface AnswerEvidence {
  url: string;
  title: string;
  quote: string;
  /** Hash of the page's stored text. */
  page: string;
}

const STOP = new Set(
  (
    'the a an of in on at for by to and or is are was were what which who whom whose when where why how did does do many much that this it its' +
    ' as with from be has had have 的 是 了 在 哪 什 么 谁 多 少 个 年'
  ).split(' '),
);

/**
 * The page and quote where a single answer occurs as a whole, best by the share of the question's words that the passage
 * or its page's title holds. Null where it occurs nowhere, or where it is short and no word of the question stands beside it.
 */
export const groundAnswer = (
  answer: string,
  question: string,
  pages: readonly EvidencePage[],
): AnswerEvidence | null => {
  const value = valueOf(answer, '');
  if (value.whole.tokens.length === 0) return null;
  const corpus = corpusOf(pages, [], [], new Set());
  const inAnswer = new Set(value.whole.tokens.map((token) => token.key));
  const words = new Set(
    tokenize(question)
      .map((token) => token.key)
      .filter((key) => !STOP.has(key) && !inAnswer.has(key)),
  );
  const column = attributeOf('');
  let best: Candidate | undefined;
  for (const page of corpus.pages) {
    const title = new Set(page.titleReading.segments.flatMap((segment) => segment.map((token) => token.key)));
    for (const place of page.places) {
      const { passage } = place;
      const parts = [value.whole, ...value.parts];
      const spots = parts.map((part) =>
        findPart(page.text, passage.tokens, part, corpus.vocabulary).find((at) => !denied(place, at, column)),
      );
      const found = spots[0] ? [spots[0]] : spots.slice(1);
      const hits = found.filter((at) => at !== undefined);
      if (hits.length === 0 || hits.length < found.length) continue;
      const here = new Set(passage.tokens.map((token) => token.key));
      let beside = 0;
      let above = 0;
      for (const word of words) {
        if (here.has(word)) beside += isUnspaced(word) ? 0.5 : 1;
        else if (title.has(word)) above += isUnspaced(word) ? 0.5 : 1;
      }
      if (words.size > 0 && beside + above < 1) continue;
      if (value.ambiguous && beside < 1) continue;
      const start = Math.min(...hits.map((at) => passage.tokens[at.from]?.start ?? 0));
      const end = Math.max(...hits.map((at) => passage.tokens[at.to - 1]?.end ?? 0));
      const quote = quoteAround(page.text, passage, { start, end });
      if (quote !== undefined) best = better(best, { page, start, quote, score: beside + above * 0.9 });
    }
  }
  return best ? { url: best.page.url, title: best.page.title, quote: best.quote, page: best.page.ref } : null;
};
