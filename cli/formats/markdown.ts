import type { SeekResult } from '../../domain/run.ts';
import { printMarkdown } from '../../domain/tables/markdown.ts';
import { isLink, sourcesOf } from './sources.ts';
import type { Source, Sources } from './sources.ts';

/** Stands behind a cell for which no page that was read holds the value. */
export const UNSUPPORTED_MARK = '⚠';

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
/** Titles and notes come from the web and from models: they must not open links, images or HTML of their own. */
const escaped = (text: string): string => oneLine(text).replace(/[\\`*_[\]<>|]/g, '\\$&');
const address = (url: string): string =>
  isLink(url)
    ? `<${oneLine(url).replace(/[<>\s]/g, encodeURIComponent)}>`
    : `\`${oneLine(url).replaceAll('`', "'")}\``;

const marked = (cell: string, row: number, column: number, sources: Sources): string => {
  const number = sources.numberOf(row, column);
  if (number !== undefined) return `${cell} [^${number}]`;
  return cell.trim() === '' ? cell : `${cell} ${UNSUPPORTED_MARK}`;
};

const sourceLine = ({ number, url, title, quote }: Source): string =>
  `[^${number}]: ${escaped(title) || 'Untitled'}, ${address(url)}: “${escaped(quote)}”`;

const answerLines = (result: SeekResult, sources: Sources, evidence: boolean): string[] => {
  const answer = result.answer.trim();
  if (answer === '') return ['No answer was found.'];
  return [evidence && result.evidence.length > 0 ? marked(answer, 0, 0, sources) : answer];
};

/** The steps to a single answer, each with the words that carry it and the page they stand on. */
const chainLines = (chain: NonNullable<SeekResult['chain']>): string[] =>
  chain.flatMap(({ claim, quote, title, url }, at) => [
    `${at + 1}. ${escaped(claim)}`,
    `   - “${escaped(quote)}”`,
    `   - ${escaped(title) || 'Untitled'}, ${address(url)}`,
  ]);

/**
 * A result as Markdown: the table (or answer), then, with `evidence`, a footnote per cell with the page and the quote, a
 * sign at cells without a source with its legend, the chain of evidence of a single answer, and last the run's notes.
 * Ends with a line break.
 */
export const formatMarkdown = (result: SeekResult, evidence: boolean): string => {
  const { table } = result;
  const sources = sourcesOf(result);
  const show = evidence && result.evidence.length > 0;
  const cells = table?.rows.map((row, at) =>
    row.map((cell, column) => (show ? marked(cell, at, column, sources) : cell)),
  );
  const body = table
    ? [printMarkdown({ columns: table.columns, rows: cells ?? [] }).trimEnd()]
    : answerLines(result, sources, evidence);
  const parts = [body.join('\n')];
  if (result.status !== 'ok') parts.push(`_Status: ${result.status} (${result.stopReason})._`);
  if (show) {
    const text = body.join('\n');
    if (text.includes(UNSUPPORTED_MARK))
      parts.push(`${UNSUPPORTED_MARK} No page that was read in this run holds this value.`);
    if (sources.list.length > 0) parts.push(`Sources:\n\n${sources.list.map(sourceLine).join('\n')}`);
  }
  if (evidence && result.chain && result.chain.length > 0)
    parts.push(`Chain of evidence:\n\n${chainLines(result.chain).join('\n')}`);
  if (result.notes.length > 0)
    parts.push(`Notes:\n\n${result.notes.map((note) => `- ${escaped(note)}`).join('\n')}`);
  return `${parts.join('\n\n')}\n`;
};
