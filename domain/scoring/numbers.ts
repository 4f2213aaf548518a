/** First number of a text; digits are any decimal digits. Alternatives are tried in this order at each position. */
const NUMBER = /[-+]?\p{Nd}*\.\p{Nd}+%?|[-+]?\p{Nd}+\.?\p{Nd}*%?/u;
const SCALED =
  /([-+]?\d*\.\d+|[-+]?\d+\.?\d*)(?:\s?(thousand|million|mn|billion|bn|trillion)(?![\p{L}\p{N}])|\s?(万亿|千万|百万|亿|万))?\s?(%)?/iu;
const POWERS: Record<string, number> = {
  thousand: 3,
  million: 6,
  mn: 6,
  billion: 9,
  bn: 9,
  trillion: 12,
  万: 4,
  百万: 6,
  千万: 7,
  亿: 8,
  万亿: 12,
};

/** 6.2: commas deleted, first number as text with its `%`; `NULL` where there is none. */
export const extractNumberReference = (text: string): string =>
  NUMBER.exec(text.replaceAll(',', ''))?.[0] ?? 'NULL';

/**
 * FIX-11: the first number as plain decimal text, scale words and 万/亿 multiplied in, `%` kept; null where there is
 * none. The first number wins, so `Q3 45%` is 3.
 */
export function extractNumber(text: string): string | null {
  const plain = asciiDigits(text.normalize('NFKC')).replaceAll('\u2212', '-').replaceAll(',', '');
  const match = SCALED.exec(plain);
  if (match === null) return null;
  const [, digits = '', word, sign, percent = ''] = match;
  const power = POWERS[(word ?? sign ?? '').toLowerCase()] ?? 0;
  return shiftDecimal(digits, power) + percent;
}

/** Multiplies decimal text by 10^power without rounding. */
function shiftDecimal(digits: string, power: number): string {
  if (power === 0) return digits;
  const negative = digits.startsWith('-');
  const [whole = '', fraction = ''] = digits.replace(/^[-+]/, '').split('.');
  const moved = whole + fraction.slice(0, power).padEnd(power, '0');
  const rest = fraction.slice(power);
  const text = moved.replace(/^0+(?=\d)/, '') + (rest === '' ? '' : `.${rest}`);
  return negative ? `-${text}` : text;
}

const FLOAT = /^[-+]?(?:\d(?:_?\d)*\.?(?:\d(?:_?\d)*)?|\.\d(?:_?\d)*)(?:e[-+]?\d(?:_?\d)*)?$/i;

/** 8.1: number as Python's `float` reads it (white space, underscores, any decimal digits, inf, nan); null where it refuses. */
export function parseFloatStrict(text: string): number | null {
  const plain = asciiDigits(text.trim());
  if (/^[-+]?(?:inf|infinity)$/i.test(plain)) return plain.startsWith('-') ? -Infinity : Infinity;
  if (/^[-+]?nan$/i.test(plain)) return NaN;
  return FLOAT.test(plain) ? Number(plain.replaceAll('_', '')) : null;
}

/** Decimal digits of every script as ASCII digits. */
function asciiDigits(text: string): string {
  return text.replace(/[^\P{Nd}0-9]/gu, (char) => {
    const code = char.codePointAt(0) ?? 0;
    if (code >= 0x1d7ce && code <= 0x1d7ff) return String((code - 0x1d7ce) % 10);
    let value = 0;
    while (value < 9 && /^\p{Nd}$/u.test(String.fromCodePoint(code - value - 1))) value += 1;
    return String(value);
  });
}

/** A plain decimal without leading zero and at most 15 digits, fractional zeros dropped; other text unchanged. */
export function canonicalDecimal(text: string): string {
  const match = /^(-?(?:0|[1-9]\d*))(?:\.(\d+))?$/.exec(text);
  if (match === null || text.replace(/[-.]/g, '').length > 15) return text;
  const fraction = (match[2] ?? '').replace(/0+$/, '');
  return fraction === '' ? (match[1] ?? text) : `${match[1]}.${fraction}`;
}
