import { dayNumber } from './dates/calendar.ts';
import { parseDate } from './dates/parse.ts';
import { normaliseKey } from '../tables/keys.ts';
import type { Cell } from './missing.ts';
import { canonicalDecimal, extractNumber, parseFloatStrict } from './numbers.ts';
import type { MetricName } from './record.ts';
import { toleranceOf } from './record.ts';
import { sameHosts } from './urls.ts';

export interface Verdict {
  score: 0 | 1;
  reason: string;
}

/** Metrics that need no judge (section 8, FIX rules). */
export type PairMetric = Exclude<MetricName, 'llm_judge'>;

/**
 * Compares one cell with gold. Missing equals only missing, whatever the metric (FIX-6).
 * `criterion` is the tolerance of `number_near`.
 */
export function compareCells(metric: PairMetric, response: Cell, target: Cell, criterion: unknown): Verdict {
  const early = compareMissing(response, target);
  if (early !== null) return early;
  const [a, b] = [response ?? '', target ?? ''];
  switch (metric) {
    case 'exact_match':
      return verdict(sameText(a, b), 'equal text', 'different text');
    case 'in_match':
      return verdict(a === '' ? b === '' : b.includes(a), 'contained in gold', 'not contained in gold');
    case 'number_near':
      return compareNumbers(a, b, toleranceOf(criterion) ?? 0);
    case 'date_near':
      return compareDates(a, b);
    case 'url_match': {
      const same = sameHosts(a, b);
      if (same === null)
        return verdict(
          sameText(normaliseKey(a), normaliseKey(b)),
          'no URL, equal text',
          'no URL, different text',
        );
      return verdict(same, 'same hosts', 'different hosts');
    }
  }
}

/** Verdict where a side is missing; null where both are there. */
export function compareMissing(response: Cell, target: Cell): Verdict | null {
  if (response !== null && target !== null) return null;
  if (response === null && target === null) return verdict(true, 'both missing', '');
  return verdict(false, '', response === null ? 'missing in the answer' : 'missing in gold');
}

/** Equal after lower-casing; plain decimals may differ in trailing fractional zeros. */
export const sameText = (a: string, b: string): boolean =>
  canonicalDecimal(a.toLowerCase()) === canonicalDecimal(b.toLowerCase());

/** FIX-14; the slack of 1e-9 absorbs binary rounding (1.1 is within 10% of 1.0). */
function compareNumbers(a: string, b: string, tolerance: number): Verdict {
  const [left, right] = [toNumber(a), toNumber(b)];
  if (left === null && right === null) {
    return verdict(
      normaliseKey(a) === normaliseKey(b),
      'no numbers, equal text',
      'no numbers, different text',
    );
  }
  if (left === null || right === null) return verdict(false, '', 'only one side is a number');
  const readings = (number: ReadNumber, other: ReadNumber): number[] =>
    number.percent && !other.percent
      ? [number.value / 100, number.value]
      : [number.percent ? number.value / 100 : number.value];
  const near = readings(left, right).some((x) =>
    readings(right, left).some((y) => Math.abs(x - y) <= Math.abs(y) * tolerance + Math.abs(y) * 1e-9),
  );
  const bound = `within ${tolerance * 100}%`;
  return verdict(near, bound, `not ${bound}`);
}

interface ReadNumber {
  value: number;
  percent: boolean;
}

/** A finite number: as written, else the first number in the text (thousands separators, units, scale words). */
function toNumber(text: string): ReadNumber | null {
  const direct = parseFloatStrict(text);
  if (direct !== null && Number.isFinite(direct)) return { value: direct, percent: false };
  const extracted = extractNumber(text);
  if (extracted === null) return null;
  return { value: Number(extracted.replace('%', '')), percent: extracted.endsWith('%') };
}

/** FIX-15: at most 31 days apart; years are compared where either side is a year alone. */
function compareDates(a: string, b: string): Verdict {
  const [left, right] = [parseDate(a), parseDate(b)];
  if (left === null && right === null) {
    return verdict(normaliseKey(a) === normaliseKey(b), 'no dates, equal text', 'no dates, different text');
  }
  if (left === null || right === null) return verdict(false, '', 'only one side is a date');
  if (left.kind === 'day' && right.kind === 'day') {
    const days = Math.abs(dayNumber(left.date) - dayNumber(right.date));
    return verdict(days <= 31, `${days} days apart`, `${days} days apart, more than 31`);
  }
  const yearOf = (side: typeof left): number => (side.kind === 'year' ? side.year : side.date.year);
  return verdict(yearOf(left) === yearOf(right), 'same year', 'different years');
}

function verdict(right: boolean, yes: string, no: string): Verdict {
  return right ? { score: 1, reason: yes } : { score: 0, reason: no };
}
