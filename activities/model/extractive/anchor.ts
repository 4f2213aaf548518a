import { fold, isHan, stem, wordMatch } from './text.ts';

/** Where a sentence speaks of a column. */
export interface Anchor {
  start: number;
  end: number;
  /** Share of the column's terms found there, 0..1. */
  coverage: number;
  /** True where the column's head noun is among them. */
  head: boolean;
}

/** Words that say what kind of value is wanted, not what it is about. */
const KIND_WORDS = new Set(
  'year date number total name when count time main list type kind value'.split(' '),
);
const LINKS = new Set(
  'the a an of its their his her this that is are was were and or in by at on for to with it s as has have'.split(
    ' ',
  ),
);

/**
 * The best place where a sentence names the column; null where it does not. A head noun that carries a different
 * modifier (`melting point` for `boiling point`) is no match.
 */
export function findAnchor(sentence: string, columnTerms: readonly string[], column: string): Anchor | null {
  if (isHan(column)) return findHan(sentence, column);
  const about = columnTerms.filter((term) => !KIND_WORDS.has(term));
  const wanted = about.length > 0 ? about : columnTerms;
  const tokens = [...sentence.matchAll(/[\p{L}\p{N}]+(?:['’]\p{L}+)?/gu)].map((match) => ({
    word: stem(fold(match[0]).replace(/'s$/, '')),
    start: match.index,
    end: match.index + match[0].length,
  }));
  let best: Anchor | null = null;
  for (let at = 0; at < tokens.length; at += 1) {
    const span = tokens.slice(at, at + wanted.length + 3);
    if (!span[0] || !wanted.some((term) => wordMatch(term, span[0]?.word ?? '') > 0)) continue;
    const matched = wanted.map((term) => {
      const scores = span.map(({ word }) => wordMatch(term, word));
      const top = Math.max(...scores);
      return { top, index: scores.indexOf(top) };
    });
    const coverage = matched.reduce((sum, { top }) => sum + top, 0) / wanted.length;
    const last = Math.max(...matched.filter(({ top }) => top > 0).map(({ index }) => index));
    const before = tokens[at - 1];
    const adjacent = before && /^[\s-]*$/.test(sentence.slice(before.end, span[0].start));
    const foreign =
      coverage < 1 && wanted.length > 1 && matched[0]?.top === 0 && adjacent && !LINKS.has(before.word);
    if (foreign) continue;
    if (!best || coverage > best.coverage + 1e-9)
      best = {
        start: span[0].start,
        end: span[last]?.end ?? span[0].end,
        coverage,
        head: (matched.at(-1)?.top ?? 0) > 0,
      };
  }
  return best;
}

function findHan(sentence: string, column: string): Anchor | null {
  const bare = column
    .replace(/[(（].*$/u, '')
    .replace(/的/g, '')
    .trim();
  for (let skip = 0; skip <= bare.length - Math.min(2, bare.length); skip += 1) {
    for (const part of skip === 0 ? [bare] : [bare.slice(skip), bare.slice(0, bare.length - skip)]) {
      const start = sentence.indexOf(part);
      if (start >= 0 && part !== '')
        return {
          start,
          end: start + part.length,
          coverage: part.length / bare.length,
          head: bare.endsWith(part),
        };
    }
  }
  const first = [...bare][0] ?? '';
  const start = bare.length === 2 ? sentence.indexOf(first) : -1;
  return start < 0 ? null : { start, end: start + 1, coverage: 0.45, head: false };
}
