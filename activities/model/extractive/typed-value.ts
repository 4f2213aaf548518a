import type { ColumnType } from './column-type.ts';
import { quantitiesIn, sameUnit } from './quantities.ts';
import type { Quantity } from './quantities.ts';

/** A value in the form the column wants; null where it plainly is another kind of value. */
export function typedValue(raw: string, type: ColumnType): string | null {
  if (type.kind === 'number') {
    const quantities = quantitiesIn(raw);
    const chosen = chooseQuantity(quantities, type, 0);
    if (chosen) return printQuantity(chosen, type);
    return quantities.length > 0 && type.dimension !== '' ? null : raw;
  }
  if (type.kind === 'year') return /\b\d{3,4}\b/.test(raw) && raw.length > 40 ? (yearIn(raw, 0) ?? raw) : raw;
  return optionIn(raw, type.options) ?? raw;
}

const optionIn = (raw: string, options: readonly string[]): string | null =>
  options.find((option) => raw.toLowerCase() === option.toLowerCase()) ??
  options.find((option) => raw.toLowerCase().includes(option.toLowerCase())) ??
  null;

/** The number that fits a column's dimension and unit, the nearest after `anchorEnd` among equals. */
export function chooseQuantity(
  quantities: readonly Quantity[],
  type: ColumnType,
  anchorEnd: number,
): Quantity | null {
  const fitting = quantities.filter(
    (quantity) => type.dimension === '' || quantity.dimension === type.dimension || quantity.dimension === '',
  );
  const exact = type.unit === '' ? [] : fitting.filter((quantity) => sameUnit(quantity.unit, type.unit));
  const withUnit = fitting.filter(
    (quantity) => quantity.dimension !== '' && quantity.dimension === type.dimension,
  );
  const pool = [exact, withUnit, fitting].find((group) => group.length > 0) ?? [];
  return [...pool].sort((a, b) => distance(a, anchorEnd) - distance(b, anchorEnd))[0] ?? null;
}

/** A number after the anchor is nearer than one before it. */
const distance = (quantity: Quantity, anchorEnd: number): number =>
  quantity.start >= anchorEnd ? quantity.start - anchorEnd : 2 * (anchorEnd - quantity.start) + 10;

/** With the unit asked for, the bare number; else number and unit as written. */
export const printQuantity = (quantity: Quantity, type: ColumnType): string =>
  type.unit !== '' && (quantity.unit === '' || sameUnit(quantity.unit, type.unit))
    ? quantity.digits
    : quantity.text;

/** The year or date nearest to the anchor. */
export function yearIn(text: string, anchorEnd: number): string | null {
  const DATE =
    /\d{3,4}年(?:\d{1,2}月(?:\d{1,2}日)?)?|\b(?:\d{1,2}\s+\p{Lu}\p{L}+\s+|\p{Lu}\p{L}+\s+\d{1,2},\s+)?(?:c\.\s*)?\d{4}\b(?:\s*(?:BC|BCE|AD|CE)\b)?|\b\d{1,4}\s*(?:BC|BCE)\b|\b\d{1,2}(?:st|nd|rd|th)\s+century(?:\s+BC)?/gu;
  const found = [...text.matchAll(DATE)].map((match) => ({ text: match[0], start: match.index }));
  const gap = (start: number): number =>
    start >= anchorEnd ? start - anchorEnd : 2 * (anchorEnd - start) + 10;
  return found.sort((a, b) => gap(a.start) - gap(b.start))[0]?.text ?? null;
}
