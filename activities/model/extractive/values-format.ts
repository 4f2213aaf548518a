import { columnType } from './column-type.ts';
import { typedValue } from './typed-value.ts';

const CODE = /\s*[(（]([A-Z][A-Z0-9]{1,5})[)）]/gu;

/**
 * A lifted value as a table cell. Numbers lose odd group separators and a unit that the column already states;
 * `Example pound (EXP)` gives the name, or the code where the column asks for codes; enumerations become comma-separated.
 */
export function formatCell(value: string, column: string): string {
  const type = columnType(column);
  if (type.kind === 'number') return typedValue(value, type) ?? value;
  const wantsCode = /\b(?:codes?|abbreviations?|acronyms?)\b|代码|缩写|代号/iu.test(column);
  const separated = value.replace(/([)）])\s+and\s+/gu, '$1, ');
  const codes = [...value.matchAll(CODE)].map((match) => match[1] ?? '');
  const named = wantsCode && codes.length > 0 ? codes.join(', ') : separated.replace(CODE, '').trim();
  if (type.kind !== 'text') return named;
  const listed = named.replace(/\s*(?:、|，|;|；)\s*/gu, ', ');
  const joints = listed.includes(',') || type.many;
  return listed
    .replace(/,?\s+and\s+(?=(?:the\s+)?\p{Lu})/gu, (joint) => (joints ? ', ' : joint))
    .replace(/(?<=\p{Script=Han}{2})(?:和|及|以及|与)(?=\p{Script=Han}{2})/gu, (joint) =>
      joints ? ', ' : joint,
    )
    .replace(/(?<=, )the\s+(?=\p{L})/gu, '')
    .replace(/^the\s+(?=\p{L})/iu, '')
    .trim();
}
