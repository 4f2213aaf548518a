import type { IndexedPage } from './corpus.ts';

/** A quote found for a cell, with the rank that chooses among several. */
export interface Candidate {
  page: IndexedPage;
  start: number;
  quote: string;
  score: number;
}

/** Best first; ties are broken by content, never by the order in which pages were read. */
export const better = (a: Candidate | undefined, b: Candidate): Candidate => {
  if (!a || b.score !== a.score) return !a || b.score > a.score ? b : a;
  const order = [
    a.page.url < b.page.url ? -1 : Number(a.page.url > b.page.url),
    a.page.ref < b.page.ref ? -1 : Number(a.page.ref > b.page.ref),
    a.start - b.start,
  ].find((each) => each !== 0);
  return (order ?? 0) <= 0 ? a : b;
};
