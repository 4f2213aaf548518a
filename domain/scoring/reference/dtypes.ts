import { BLANK_WORDS } from '../missing.ts';

const BLANKS: ReadonlySet<string> = new Set(BLANK_WORDS);
const INTEGER = /^\s*[-+]?\d+\s*$/;
const FLOAT = /^\s*([-+])?(\d*)(?:\.(\d*))?(?:e([-+]?\d+))?\s*$/i;
const INFINITE = /^\s*([-+])?(?:inf|infty|infinity)\s*$/i;

/**
 * 5.1: one column as the reference's reader types it and then prints it as text. Blank words become `nan`; integers
 * lose signs and leading zeros; a blank among integers makes them floats (`1999.0`).
 */
export function inferColumn(cells: readonly string[], blanks: 'missing' | 'text' = 'missing'): string[] {
  const isBlank = (cell: string): boolean => blanks === 'missing' && BLANKS.has(cell);
  const present = cells.filter((cell) => !isBlank(cell));
  if (present.length === 0) return cells.map(() => 'nan');
  const integers = present.length === cells.length ? readIntegers(present) : null;
  if (integers === 'text') return [...cells];
  if (integers !== null) return integers;
  const print = numberPrinter(present) ?? booleanPrinter(present) ?? ((cell: string) => cell);
  return cells.map((cell) => (isBlank(cell) ? 'nan' : print(cell)));
}

/** Integers as text, `text` where they fit neither signed nor unsigned 64 bits, null where they are no integers. */
function readIntegers(cells: readonly string[]): string[] | 'text' | null {
  if (!cells.every((cell) => INTEGER.test(cell))) return null;
  const values = cells.map((cell) => BigInt(cell.trim().replace(/^\+/, '')));
  const negative = values.some((value) => value < 0n);
  const fits = values.every((value) => value >= -(2n ** 63n) && value < (negative ? 2n ** 63n : 2n ** 64n));
  return fits ? values.map(String) : 'text';
}

function numberPrinter(cells: readonly string[]): ((cell: string) => string) | null {
  const isNumber = (cell: string): boolean => {
    const match = FLOAT.exec(cell);
    return INFINITE.test(cell) || (match !== null && (match[2] ?? '') + (match[3] ?? '') !== '');
  };
  return cells.every(isNumber) ? (cell) => printFloat(readFloat(cell)) : null;
}

const TRUE_FALSE = new Map([
  ['true', 'True'],
  ['True', 'True'],
  ['TRUE', 'True'],
  ['false', 'False'],
  ['False', 'False'],
  ['FALSE', 'False'],
]);

function booleanPrinter(cells: readonly string[]): ((cell: string) => string) | null {
  return cells.every((cell) => TRUE_FALSE.has(cell)) ? (cell) => TRUE_FALSE.get(cell) ?? cell : null;
}

/** The reader's own conversion: 17 significant digits accumulated in binary, then scaled by a power of ten. */
function readFloat(text: string): number {
  const infinite = INFINITE.exec(text);
  if (infinite !== null) return infinite[1] === '-' ? -Infinity : Infinity;
  const [, sign, whole = '', fraction = '', exponentText = '0'] = FLOAT.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  let value = 0;
  for (const digit of digits.slice(0, 17)) value = value * 10 + Number(digit);
  const exponent = Number(exponentText) - fraction.length + Math.max(0, digits.length - 17);
  if (exponent > 308) value = value === 0 ? 0 : Infinity;
  else if (exponent > 0) value *= Number(`1e${exponent}`);
  else if (exponent < -308) value = value / 1e308 / Number(`1e${-308 - exponent}`);
  else value /= Number(`1e${-exponent}`);
  return sign === '-' ? -value : value;
}

/** Python's `str` of a float: shortest digits, `.0` for whole numbers, exponent below 1e-4 and from 1e16. */
export function printFloat(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value < 0 ? '-inf' : 'inf';
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  const [mantissa = '', exponentText = '0'] = value.toExponential().split('e');
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < 16) {
    const text = String(value);
    return text.includes('.') ? text : `${text}.0`;
  }
  const digits = String(Math.abs(exponent)).padStart(2, '0');
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${digits}`;
}
