import { isHan, nameKey, overlap, terms } from './text.ts';

const KIND = /^(?:year|date|number|total|name)$/;

/** How well a field or header name fits a column, 0..1. `columnTerms` are the column's terms, computed once. */
export function nameFit(columnTerms: readonly string[], column: string, name: string): number {
  const plainColumn = withoutBrackets(column);
  const bare = withoutBrackets(name);
  if (nameKey(bare) !== '' && nameKey(bare) === nameKey(plainColumn)) return 1;
  const nameTerms = terms(bare);
  const shared = overlap(columnTerms, nameTerms);
  if (
    isHan(column) &&
    plainColumn.length >= 2 &&
    bare.trim().length >= 2 &&
    (bare.includes(plainColumn.trim()) || plainColumn.includes(bare.trim()))
  )
    return 0.9;
  return isHan(column) ? 0.99 * shared : 0.97 * Math.max(shared, 0.9 * topicFit(columnTerms, nameTerms));
}

/** A kind word plus the right topic (`year built` and `built`) is as good as the full name. */
function topicFit(columnTerms: readonly string[], nameTerms: readonly string[]): number {
  const topic = columnTerms.filter((term) => !KIND.test(term));
  const other = nameTerms.filter((term) => !KIND.test(term));
  return topic.length === 0 || other.length === 0 || other.length < nameTerms.length - 1
    ? 0
    : overlap(topic, other);
}

/** `language(s)` is `languages`; any other bracket is a remark. */
const withoutBrackets = (name: string): string =>
  name.replace(/[(（](\p{Ll}{1,2})[)）]/gu, '$1').replace(/[(（[][^)）\]]*[)）\]]/gu, ' ');
