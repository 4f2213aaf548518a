const GROUPED = /^\d{1,3}(?:([,'’\u00a0\u202f\u2009 ])\d{3})(?:\1\d{3})*(?:\.\d+)?$/;
const INDIAN = /^\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d+)?$/;
/** `1.234.567` and `1.234,5` can only be read one way; `274.222` cannot, and is read as a decimal. */
const EUROPEAN = /^\d{1,3}(?:(?:\.\d{3}){2,}(?:,\d+)?|\.\d{3},\d+)$/;

const trimmed = (whole: string, fraction: string): string => {
  const digits = whole.replace(/^0+(?=\d)/, '');
  const rest = fraction.replace(/0+$/, '');
  return rest ? `${digits}.${rest}` : digits;
};

/**
 * Canonical decimal of a number as written (`274,222` → `274222`, `5.20` → `5.2`), without sign. Undefined where
 * the writing can be read in more than one way (`3,5`), or is a code (`007`, `1.2.3`): such text only equals itself.
 */
export const canonicalNumber = (written: string): string | undefined => {
  if (/^0\d/.test(written)) return undefined;
  if (/^\d+$/.test(written)) return written;
  if (/^\d+\.\d+$/.test(written)) {
    const [whole = '', fraction = ''] = written.split('.');
    return trimmed(whole, fraction);
  }
  if (GROUPED.test(written) || INDIAN.test(written)) {
    const [whole = '', fraction = ''] = written.split('.');
    return trimmed(whole.replace(/\D/g, ''), fraction);
  }
  if (EUROPEAN.test(written)) {
    const [whole = '', fraction = ''] = written.split(',');
    return trimmed(whole.replace(/\D/g, ''), fraction);
  }
  return undefined;
};

const SCALES: readonly (readonly [RegExp, number])[] = [
  [/^[ \u00a0-]?thousand(?![\p{L}\d])/iu, 3],
  [/^[ \u00a0-]?(?:millions?|mn|mln)(?![\p{L}\d])/iu, 6],
  [/^[ \u00a0-]?(?:billions?|bn)(?![\p{L}\d])/iu, 9],
  [/^[ \u00a0-]?(?:trillions?|tn)(?![\p{L}\d])/iu, 12],
  [/^[ \u00a0]?lakhs?(?![\p{L}\d])/iu, 5],
  [/^[ \u00a0]?crores?(?![\p{L}\d])/iu, 7],
  [/^ ?(?:万亿|萬億)/u, 12],
  [/^ ?(?:千万|千萬)/u, 7],
  [/^ ?(?:百万|百萬)/u, 6],
  [/^ ?[万萬]/u, 4],
  [/^ ?[亿億]/u, 8],
];

/** Multiplies a canonical decimal by a power of ten, exactly. */
export const scaled = (value: string, power: number): string => {
  const [whole = '', fraction = ''] = value.split('.');
  const padded = fraction.padEnd(power, '0');
  return trimmed(whole + padded.slice(0, power), padded.slice(power));
};

/** The scale word at the start of `rest` (`million`, `万`): its power of ten and its length. */
export const scaleAt = (rest: string): { power: number; length: number } | undefined => {
  for (const [pattern, power] of SCALES) {
    const found = pattern.exec(rest);
    if (found) return { power, length: found[0].length };
  }
  return undefined;
};
