import { dateAt, dateCovers } from './dates.ts';
import type { WrittenDate } from './dates.ts';
import { foldWord, isUnspaced, narrow, UNSPACED } from './fold.ts';
import { canonicalNumber, scaleAt, scaled } from './numbers.ts';
import { currencyBefore, unitAt } from './units.ts';

/** A unit of comparison with its place in the text (UTF-16 offsets, end exclusive). */
export interface Token {
  start: number;
  end: number;
  /** What the index and equality use: folded word, single character, `#` + canonical number, or `@` + year. */
  key: string;
  /** Numbers: the canonical unit that follows or the currency before it. */
  unit?: string;
  date?: WrittenDate;
}

const WORD = new RegExp(
  `(?:\\p{L}\\.){2,}|(?:(?![${UNSPACED}])[\\p{L}\\p{N}])(?:(?![${UNSPACED}])[\\p{L}\\p{M}\\p{N}]|['’ʼ‘](?=\\p{L}))*`,
  'uy',
);
const SPACED = /\d{1,3}(?:[ \u00a0\u202f\u2009]\d{3})+(?:\.\d+)?(?![\d])/y;
const RUN = /\d(?:[\d.,:'’]*\d)?/y;

const isDigit = (c: string | undefined): boolean => c !== undefined && c >= '0' && c <= '9';
const isLetter = (c: string | undefined): boolean => c !== undefined && /[\p{L}\p{M}]/u.test(c);
const matchAt = (pattern: RegExp, text: string, at: number): string | undefined => {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
};

/** A minus sign counts only where it cannot be a hyphen or a range. */
const isNegative = (text: string, at: number): boolean =>
  /(?:^|[\s(|:：[$€£])[-−–]$/.test(text.slice(Math.max(0, at - 2), at));

const numberAt = (text: string, at: number): Token[] | undefined => {
  const spaced = matchAt(SPACED, text, at);
  const written = spaced ?? matchAt(RUN, text, at) ?? '';
  let end = at + written.length;
  const list = /^\d{4,}(?:,\d{4,})+$/.test(written); // years or codes in a row without spaces
  if (list) {
    let from = at;
    return written.split(',').map((part) => {
      const token = { start: from, end: from + part.length, key: `#${part}` };
      from = token.end + 1;
      return token;
    });
  }
  const value = canonicalNumber(written);
  const rest = text.slice(end, end + 24);
  const scale = value === undefined ? undefined : scaleAt(rest);
  const unit = value === undefined ? undefined : unitAt(scale ? rest.slice(scale.length) : rest);
  if (!scale && !unit && isLetter(text[end]) && !isUnspaced(text[end] ?? '')) return undefined; // `4x4`, `21st`
  if (value === undefined) return [{ start: at, end, key: written }];
  end += (scale?.length ?? 0) + (unit?.length ?? 0);
  const currency = currencyBefore(text.slice(Math.max(0, at - 5), at));
  const sign = isNegative(text, at) && value !== '0' ? '-' : '';
  return [
    {
      start: at - (currency?.length ?? 0) - sign.length,
      end,
      key: `#${sign}${scale ? scaled(value, scale.power) : value}`,
      unit: unit?.unit ?? currency?.unit,
    },
  ];
};

/**
 * Words, numbers, dates and single characters of unspaced scripts, in order. Punctuation gives no token. Inside a date
 * only the year can be found as a number, so `5` is not in `2024-05-01`.
 */
export const tokenize = (source: string): Token[] => {
  const text = narrow(source);
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const code = text.codePointAt(at) ?? 0;
    const character = String.fromCodePoint(code);
    if (code < 0x80 && !/[a-z0-9]/i.test(character)) {
      at += 1;
      continue;
    }
    if (
      !isDigit(text[at - 1]) &&
      !isLetter(text[at - 1] && isUnspaced(text[at - 1] ?? '') ? undefined : text[at - 1])
    ) {
      const date = /[0-9adfjmnos]/i.test(character) ? dateAt(text, at) : undefined;
      if (date) {
        const { end, year, month, day } = date;
        tokens.push({ start: at, end, key: `#${year}`, date: { year, month, day } });
        at = end;
        continue;
      }
    }
    if (isDigit(character)) {
      const found = numberAt(text, at);
      if (found) {
        tokens.push(...found);
        at = found.at(-1)?.end ?? at + 1;
        continue;
      }
    }
    if (isUnspaced(character)) {
      tokens.push({ start: at, end: at + character.length, key: character.normalize('NFKC') });
      at += character.length;
      continue;
    }
    const word = matchAt(WORD, text, at);
    if (!word) {
      at += character.length;
      continue;
    }
    const bare = word.replace(/['’ʼ‘]s$/i, '');
    const key = foldWord(bare);
    if (key) tokens.push({ start: at, end: at + bare.length, key });
    at += word.length;
  }
  return tokens;
};

export const isNumber = (token: Token): boolean => token.key.startsWith('#');

/**
 * Whether the page's token says what the cell's token says. Units must agree; `unit` is the one that the column's
 * name states, `context` the one that the page's own header or label states.
 */
export const sameToken = (page: Token, cell: Token, unit?: string, context?: string): boolean => {
  if (cell.date?.month) return page.date !== undefined && dateCovers(page.date, cell.date);
  if (page.key !== cell.key) return false;
  if (!isNumber(cell)) return true;
  const wanted = cell.unit ?? unit;
  const given = page.unit ?? context;
  if (!wanted) return true;
  return given === undefined ? cell.unit === undefined : given === wanted;
};
