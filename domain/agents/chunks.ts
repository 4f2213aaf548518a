import type { AgentRules, TextSize } from './rules.ts';
import { cutToTokens, estimateTokens, neutralise } from './text.ts';

/**
 * A page in parts of at most `rule.size`, at most `rule.most` of them; the rest of a longer page is not read.
 * Joined again, the parts are the text up to that point, except for line ends at the cuts. Never empty.
 */
export function chunkPage(text: string, rule: AgentRules['chunk']): string[] {
  const parts: string[] = [];
  for (let rest = text; rest.length > 0 && parts.length < rule.most;) {
    const part = cutTo(rest, rule) || rest.slice(0, 1);
    parts.push(part);
    rest = rest.slice(part.length).replace(/^\n/, '');
  }
  return parts.length === 0 ? [''] : parts;
}

/** The beginning of a text within a size. Characters are cut exactly there, tokens at a line end where one is near. */
export const cutTo = (text: string, { size, unit }: TextSize): string =>
  unit === 'tokens' ? cutToTokens(text, size) : text.slice(0, size);

/** Size of a text in the given unit. */
export const sizeOf = (text: string, unit: TextSize['unit']): number =>
  unit === 'tokens' ? estimateTokens(text) : text.length;

/** One part of a page as the model reads it: where it is from, which part, and the text fenced as data. */
export function printChunk(url: string, title: string, text: string, part: number, parts: number): string {
  const which = parts > 1 ? ` (page ${part} of ${parts})` : '';
  const address = url.replace(/[\s<>]/g, encodeURIComponent);
  return `### Page: ${address}${which}\nTitle: ${neutralise(title.replace(/\s+/g, ' '))}\n<<<\n${neutralise(text)}\n>>>`;
}
