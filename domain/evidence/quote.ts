import type { Span } from './passages.ts';

export const MIN_QUOTE = 10;
export const MAX_QUOTE = 300;

const trim = (text: string, span: Span): Span => {
  let { start, end } = span;
  while (start < end && /\s/.test(text[start] ?? '')) start += 1;
  while (end > start && /\s/.test(text[end - 1] ?? '')) end -= 1;
  return { start, end };
};

/** Moves a cut outwards-in to the next word border, so that no word or surrogate pair is split. */
const atWordStart = (text: string, from: number, limit: number): number => {
  for (let at = from; at < limit; at += 1) if (/[\s,;|，；、。]/u.test(text[at - 1] ?? ' ')) return at;
  return limit;
};
const atWordEnd = (text: string, from: number, limit: number): number => {
  for (let at = from; at > limit; at -= 1) if (/[\s,;|，；、。]/u.test(text[at] ?? ' ')) return at;
  return limit;
};

const lineStart = (text: string, at: number): number => text.lastIndexOf('\n', Math.max(0, at - 1)) + 1;
const lineEnd = (text: string, at: number): number => {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
};

/**
 * A quote of 10 to 300 UTF-16 units around `needed`: the whole passage where it fits, else as much of it as fits; a passage
 * that is too short takes the line before it along, or the one after it. Undefined where that is impossible.
 * The result is a slice of `text`, hence always a substring.
 */
export const quoteAround = (text: string, passage: Span, needed: Span): string | undefined => {
  if (needed.end - needed.start > MAX_QUOTE) return undefined;
  let { start, end } = trim(text, passage);
  if (end - start > MAX_QUOTE) {
    const room = MAX_QUOTE - (needed.end - needed.start);
    const left = Math.min(needed.start - start, Math.floor(room / 2));
    const right = Math.min(end - needed.end, room - left);
    const more = Math.min(needed.start - start, room - right);
    const from = needed.start - more;
    const to = needed.end + right;
    start = from === start ? start : atWordStart(text, from, needed.start);
    end = to === end ? end : atWordEnd(text, to, needed.end);
  }
  let span = trim(text, { start, end });
  while (span.end - span.start < MIN_QUOTE) {
    const before = span.start > 0 ? lineStart(text, span.start - 1) : span.start;
    const after = span.end < text.length ? lineEnd(text, span.end + 1) : span.end;
    if (before < span.start && span.end - before <= MAX_QUOTE) span = { start: before, end: span.end };
    else if (after > span.end && after - span.start <= MAX_QUOTE) span = { start: span.start, end: after };
    else return undefined;
  }
  span = trim(text, span);
  const quote = text.slice(span.start, span.end);
  return quote.length >= MIN_QUOTE && quote.length <= MAX_QUOTE ? quote : undefined;
};
