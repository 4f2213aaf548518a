import { columnType } from './column-type.ts';

const CODE = /\s*[(（]([A-Z][A-Z0-9]{1,5})[)）]/gu;

/**
 * A lifted value as a table cell. `Example pound (EXP)` gives the name, or the code where the column asks for codes;
 * enumerations in words become comma-separated.
 */
export function formatCell(value: string, column: string): string {
  const type = columnType(column);
  const wantsCode = /\b(?:codes?|abbreviations?|acronyms?)\b|代码|缩写|代号/iu.test(column);
  const codes = [...value.matchAll(CODE)].map((match) => match[1] ?? '');
  const named = wantsCode && codes.length > 0 ? codes.join(', ') : value.replace(CODE, '').trim();
  if (type.kind !== 'text') return named;
  return named
    .replace(/\s*(?:、|，|;|；)\s*/gu, ', ')
    .replace(/,?\s+and\s+(?=(?:the\s+)?\p{Lu})/gu, (joint, at: number) =>
      joinsList(named, at, joint.length) ? ', ' : joint,
    )
    .replace(/(\p{Script=Han})(?:和|及|以及|与)(?=\p{Script=Han})/gu, '$1, ')
    .replace(/(?<=, )the\s+(?=\p{L})/gu, '')
    .trim();
}

/** In `Aa and Bb` both sides may be one name (`Aa and Bb Islands`): only list-like values with short sides are split. */
function joinsList(text: string, at: number, length: number): boolean {
  const before = text.slice(0, at);
  const after = text.slice(at + length);
  return before.includes(',') || (before.split(' ').length <= 3 && after.split(' ').length <= 3);
}
