import { WideseekError } from '../../errors.ts';

/** White space as Python sees it: U+001C to U+001F and U+0085 count, U+FEFF does not. */
const isSpace = (char: string): boolean =>
  char !== '\uFEFF' && (/\s/.test(char) || (char >= '\u001c' && char <= '\u001f') || char === '\u0085');

/** Python's `str.strip()`. */
export function strip(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text[start] ?? '')) start += 1;
  while (end > start && isSpace(text[end - 1] ?? '')) end -= 1;
  return text.slice(start, end);
}

/** 6.1 as the reference does it. */
export const normStr = (text: string): string => strip(text.toLowerCase()).replace(/[ *]/g, '');

/** Header normalisation of section 4. */
export const normColumn = (name: string): string => strip(name).toLowerCase().replaceAll(' ', '');

/** Raises what the reference raises; its catch-all turns it into zeros. */
export function raise(kind: string, message: string): never {
  throw new WideseekError('InvalidInput', `${kind}: ${message}`);
}
