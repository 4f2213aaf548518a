import { cutToTokens, estimateTokens, neutralise } from '../../domain/agents/text.ts';

/** One part of a long page and where it stands in it. */
export interface PagePart {
  url: string;
  title: string;
  text: string;
  /** From 1. */
  part: number;
  parts: number;
  /** The part that was asked for, which a short page may not have. */
  asked: number;
  /** Lines of the table of contents; only on the first of several parts. */
  contents: string[];
}

/** Characters that surely hold so many tokens: an alphabetic token has fewer than four (`estimateTokens`). */
const CHARS_PER_TOKEN = 4;
/** The table of contents takes at most this share of a part. */
const CONTENTS_SHARE = 1 / 8;
const HEADING_CHARS = 100;

/** The part of a page with the given number, at most `pageTokens` long; the last one where there are fewer. */
export function splitPage(
  page: { url: string; title: string; text: string },
  asked: number,
  pageTokens: number,
): PagePart {
  const texts = cutParts(page.text, pageTokens);
  const part = Math.min(Math.max(1, asked), texts.length);
  const contents =
    part === 1 && texts.length > 1 ? contentsOf(texts, Math.floor(pageTokens * CONTENTS_SHARE)) : [];
  return { ...page, text: texts[part - 1]!, part, parts: texts.length, asked: Math.max(1, asked), contents };
}

/** All parts: joined again they are the text, except for one line end at each cut. Linear in the text. */
export function cutParts(text: string, pageTokens: number): string[] {
  const parts: string[] = [];
  const window = pageTokens * CHARS_PER_TOKEN;
  let at = 0;
  do {
    const next = text.slice(at, at + window);
    const part = cutToTokens(next, pageTokens);
    parts.push(part);
    at += part.length;
    if (text[at] === '\n') at++;
  } while (at < text.length);
  return parts;
}

interface Heading {
  level: number;
  title: string;
  part: number;
}

/** Headings with the number of their part, within `tokens`: the deepest levels are left out first, and said to be. */
function contentsOf(texts: readonly string[], tokens: number): string[] {
  const headings = texts.flatMap((text, index) => headingsOf(text, index + 1));
  if (headings.length === 0) return [];
  const top = Math.min(...headings.map(({ level }) => level));
  const lines = (deepest: number): string[] =>
    headings
      .filter(({ level }) => level <= deepest)
      .map(({ level, title, part }) => `${'  '.repeat(level - top)}- ${title} (page ${part})`);
  for (let deepest = 6; deepest > top; deepest--) {
    const all = lines(deepest);
    if (estimateTokens(all.join('\n')) <= tokens) return withRest(all, headings.length);
  }
  const kept: string[] = [];
  for (const line of lines(top)) {
    if (estimateTokens([...kept, line].join('\n')) > tokens) break;
    kept.push(line);
  }
  return withRest(kept, headings.length);
}

const withRest = (lines: string[], all: number): string[] =>
  lines.length === all ? lines : [...lines, `- (${all - lines.length} more headings)`];

/** Markdown headings outside code blocks. */
function headingsOf(text: string, part: number): Heading[] {
  const found: Heading[] = [];
  let code = false;
  for (const line of text.split('\n')) {
    if (/^\s*(```|~~~)/.test(line)) code = !code;
    const [, marks, title] = code ? [] : (/^(#{1,6})\s+(.*\S)/.exec(line) ?? []);
    if (marks && title)
      found.push({ level: marks.length, title: neutralise(title).slice(0, HEADING_CHARS), part });
  }
  return found;
}
