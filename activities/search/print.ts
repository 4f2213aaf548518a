import { cutToTokens, estimateTokens, neutralise } from '../../domain/agents/text.ts';
import { terseHits } from '../../domain/agents/terse.ts';
import type { Hit } from './port.ts';
import { type PagePart, splitPage } from './page-parts.ts';

/** A passage longer than this is cut in a result list; the page itself is read whole by `access`. */
const PASSAGE_TOKENS = 400;
/** Headings that open a section of a tool message (workflows/agent.ts, domain/agents/compose.ts), at a line's start. */
const SECTIONS = /^(?=\[Doc\s+\d+\]\(|###\s+(?:Search|Page|Subagent)\b[^:：\n]*[:：])/gimu;

/** Text from outside as one line: titles may hold line ends that would start a section of ours. */
export const oneLine = (text: string): string => neutralise(text.replace(/\s+/g, ' ').trim());

/** An address as it is printed: what could end the line or open a tag is percent-encoded. */
export const printUrl = (url: string): string => url.trim().replace(/[\s<>|\p{Cc}]/gu, encodeURIComponent);

/** Passages have no fence around them, so a line of theirs must not look like the next result. */
const passage = (text: string): string =>
  neutralise(cutToTokens(text, PASSAGE_TOKENS)).replace(SECTIONS, ' ');

/** Result list as the model reads it (spec 2.2): number, URL, title, passage. */
export function printHits(query: string, hits: readonly Hit[]): string {
  const body = hits.map(
    ({ url, title, text }, index) =>
      `[Doc ${index + 1}](${printUrl(url)}): ${oneLine(title)}\n${passage(text)}`,
  );
  return [`### Search: ${oneLine(query)}`, body.length === 0 ? 'No results.' : body.join('\n\n')].join('\n');
}

/** The same for the terse style: passages alone. */
export const printTerse = (hits: readonly Hit[]): string => terseHits(hits.map(({ text }) => passage(text)));

/** Why a page was not shown. */
export const printUnreadable = (url: string, why: string): string =>
  `### Page: ${printUrl(url)}\nError: this page cannot be read (${oneLine(why)}). Use another URL.`;

/** The first lines of a page: address, which part this is, title, and on the first of several the table of contents. */
export function printHead({ url, title, part, parts, asked, contents }: PagePart): string {
  const which = parts > 1 ? ` (page ${part} of ${parts})` : '';
  const lines = [`### Page: ${printUrl(url)}${which}`, `Title: ${oneLine(title)}`];
  if (asked !== part) lines.push(`There is no page ${asked}; this is page ${part} of ${parts}.`);
  if (contents.length > 0) lines.push('Contents:', ...contents);
  return lines.join('\n');
}

/** Text between the fences that mark it as data. */
export const fenced = (text: string): string => `<<<\n${neutralise(text)}\n>>>`;

/**
 * One part of a page, at most `pageTokens` long plus its head, fenced as data. `part` counts from 1; a long page says how
 * many parts it has and what stands where, so nothing is cut off silently. Where the part holds more than
 * `shownTokens`, the rest is left out and said to be.
 */
export function printPage(
  page: { url: string; title: string; text: string },
  part: number,
  pageTokens: number,
  shownTokens = pageTokens,
): string {
  const shown = splitPage(page, part, pageTokens);
  return `${printHead(shown)}\n${printShown(shown.text, shownTokens)}`;
}

/** A part within a number of tokens; what is left out is said to be. */
export function printShown(text: string, tokens: number): string {
  if (estimateTokens(text) <= tokens) return fenced(text);
  const cut = cutToTokens(text, tokens);
  return `${fenced(cut)}\n(cut: ${cut.length} of ${text.length} characters of this page shown)`;
}
