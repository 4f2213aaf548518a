import { attributeOf, isYearColumn } from './concepts.ts';
import { isUnspaced } from './fold.ts';
import { insideLongerName, namedAt, occurrences } from './names.ts';
import type { Occurrence, Vocabulary } from './names.ts';
import { isNumber, tokenize } from './tokens.ts';
import type { Token } from './tokens.ts';
import { unitOfHeader } from './units.ts';

/** A piece of a cell that has to be found as one token sequence. */
export interface Part {
  text: string;
  tokens: readonly Token[];
}

/** A cell's value, ready to be searched for. */
export interface Value {
  whole: Part;
  /** The members of a list-valued cell; empty where the cell is no list. */
  parts: readonly Part[];
  /** Too short or too common to stand without the column's name beside it. */
  ambiguous: boolean;
  /** Unit that the column's name states, e.g. `km2`. */
  unit?: string;
}

const CERTAIN = /^(?:yes|no|true|false|none|y|n|是|否|有|无|没有)$/iu;
const APPROXIMATE = /^(?:[~≈]|c\.|ca\.|approx\.?|approximately|about|around|大?约)\s*/iu;
const LIST = /\s*(?:[,;、/；，&\n·•]|\s(?:and|or|und|et|y)\s|(?<=\p{sc=Han})[和与及](?=\p{sc=Han}))\s*/u;

/** A cell without the marks of Markdown and footnotes. */
export const plainCell = (cell: string): string =>
  cell
    .replace(/<br\s*\/?>/gi, '; ')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\[(?:\d+|[a-z])\]/g, '')
    .replace(/\*\*|__|`/g, '')
    .trim();

const partOf = (text: string): Part => ({ text: text.trim(), tokens: tokenize(text) });

const isAmbiguous = (part: Part, column: string): boolean => {
  const [first, ...others] = part.tokens;
  if (!first || CERTAIN.test(part.text)) return true;
  if (others.length > 0) {
    return part.tokens.every((token) => isUnspaced(token.key)) && part.tokens.length <= 2;
  }
  if (first.date) return attributeOf(column).concept !== undefined;
  if (!isNumber(first)) return first.key.length <= 2;
  const digits = first.key.replace(/\D/g, '');
  if (first.unit) return false;
  if (/^#1\d{3}$|^#20\d{2}$/.test(first.key)) return !isYearColumn(column);
  return digits.length <= 3;
};

/** Reads a cell of a column. */
export const valueOf = (cell: string, column: string): Value => {
  const plain = plainCell(cell)
    .replace(APPROXIMATE, '')
    .replace(/^(\d{4})\s*年$/u, '$1');
  const whole = partOf(plain);
  const bracket = /^(.+?)\s*[(（]([^()（）]+)[)）]\s*$/u.exec(plain);
  const pieces = bracket ? [bracket[1] ?? '', bracket[2] ?? ''] : plain.split(LIST);
  const parts = pieces.map(partOf).filter((part) => part.tokens.length > 0);
  const isList = parts.length > 1 && whole.tokens.length > 1;
  return {
    whole,
    parts: isList ? parts : [],
    ambiguous: isList ? parts.every((part) => isAmbiguous(part, column)) : isAmbiguous(whole, column),
    unit: unitOfHeader(column),
  };
};

/**
 * Where a part stands as a whole in the tokens. Names that belong to a longer name there do not count.
 * `context` is the unit that the passage's own header or label states.
 */
export const findPart = (
  text: string,
  tokens: readonly Token[],
  part: Part,
  vocabulary: Vocabulary,
  unit?: string,
  context?: string,
): Occurrence[] => {
  if (!part.tokens.some(isNumber)) return namedAt(text, tokens, part.text, part.tokens, vocabulary, 'value');
  return occurrences(text, tokens, part.tokens, unit, context).filter(
    (at) => !insideLongerName(text, tokens, at),
  );
};
