import type { Corpus, IndexedPage } from './corpus.ts';
import { better } from './candidate.ts';
import type { Candidate } from './candidate.ts';
import { namedAt } from './names.ts';
import { quoteAround } from './quote.ts';
import { subjectTokens } from './support.ts';
import { tokenize } from './tokens.ts';

const LISTED = new Set(['row', 'item', 'field']);

/**
 * Finds the quote for a key cell: best a page that lists it together with other rows' keys, then a page with that title,
 * then any list item or table row, then a sentence that names it.
 */
export const keyEvidence = (
  corpus: Corpus,
  names: readonly string[],
  question: string,
): ((name: string) => Candidate | undefined) => {
  const listed = new Map<IndexedPage, number>();
  for (const name of names) {
    const pages = new Set(
      corpus
        .naming(name)
        .filter(({ passage }) => LISTED.has(passage.kind))
        .map(({ page }) => page),
    );
    for (const page of pages) listed.set(page, (listed.get(page) ?? 0) + 1);
  }
  const asked = new Set(tokenize(question).map((token) => token.key));
  const overlap = (page: IndexedPage): number =>
    new Set(
      page.titleReading.segments
        .flatMap((segment) => segment.map((token) => token.key))
        .filter((key) => asked.has(key)),
    ).size;

  const known = new Map<string, Candidate | undefined>();
  return (name) => {
    if (known.has(name)) return known.get(name);
    const phrase = tokenize(name);
    const titled = new Set(corpus.about(name).map(({ page }) => page));
    let best: Candidate | undefined;
    const offer = (
      page: IndexedPage,
      passage: { start: number; end: number },
      needed: typeof passage,
      score: number,
    ): void => {
      const quote = quoteAround(page.text, passage, needed);
      if (quote !== undefined) best = better(best, { page, start: needed.start, quote, score });
    };
    for (const { page, passage } of corpus.naming(name)) {
      const isCell = (passage.cells ?? []).some(
        (cell) =>
          namedAt(page.text, subjectTokens(page.text, passage, cell), name, phrase, corpus.vocabulary)
            .length > 0,
      );
      if (passage.kind === 'row' && !isCell) continue;
      const isListed = LISTED.has(passage.kind);
      const count = isListed && !titled.has(page) ? (listed.get(page) ?? 0) : 0;
      const at = namedAt(page.text, passage.tokens, name, phrase, corpus.vocabulary)[0];
      const start = passage.tokens[at?.from ?? 0]?.start ?? passage.start;
      const end = passage.tokens[(at?.to ?? 1) - 1]?.end ?? passage.end;
      const rank = count > 1 ? 4 : titled.has(page) ? 3 : isListed ? 2 : passage.kind === 'heading' ? 1.5 : 1;
      const finer = count > 1 ? Math.min(overlap(page), 9) / 10 + Math.min(count, 9_999) / 1_000_000 : 0;
      offer(page, passage, { start, end }, rank + finer);
    }
    for (const page of titled) {
      const first = page.places[0]?.passage;
      if (first) offer(page, first, { start: first.start, end: Math.min(first.end, first.start + 200) }, 2.5);
    }
    known.set(name, best);
    return best;
  };
};
