import { extractNumberReference, parseFloatStrict } from '../numbers.ts';
import { dateNear, normDate } from './dates.ts';
import { normStr, raise } from './text.ts';

/** Preprocess functions of section 6 as the reference has them. */
export const REFERENCE_PREPROCESS: ReadonlyMap<string, (text: string) => string> = new Map([
  ['norm_str', normStr],
  ['extract_number', extractNumberReference],
  ['norm_date', normDate],
]);

type ReferenceMetric = (answer: string, gold: string, criterion: unknown) => number;

/** Metrics of section 8 as the reference has them; they raise where it raises. */
export const REFERENCE_METRICS: ReadonlyMap<string, ReferenceMetric> = new Map<string, ReferenceMetric>([
  ['exact_match', (answer, gold) => (answer.toLowerCase() === gold.toLowerCase() ? 1 : 0)],
  ['in_match', (answer, gold) => (gold.includes(answer) ? 1 : 0)],
  ['number_near', numberNear],
  ['date_near', (answer, gold) => dateNear(answer, gold)],
  ['url_match', urlMatch],
]);

function numberNear(answer: string, gold: string, criterion: unknown): number {
  const [left, right] = [toNumber(answer), toNumber(gold)];
  if (left === null && right === null) return answer === gold ? 1 : 0;
  if (left === null || right === null) return 0;
  if (typeof criterion !== 'number' && typeof criterion !== 'boolean') {
    raise('TypeError', 'criterion of number_near is not a number');
  }
  return Math.abs(left - right) <= Math.abs(right) * Number(criterion) ? 1 : 0;
}

function toNumber(text: string): number | null {
  const value = parseFloatStrict(text.replaceAll('%', ''));
  return value === null || !text.includes('%') ? value : value / 100;
}

const URL_PATTERN = /https?:\/\/[!$-_a-z]+/g;

function urlMatch(answer: string, gold: string): number {
  const [left, right] = [networkLocations(answer), networkLocations(gold)];
  return left.size === right.size && [...left].every((host) => right.has(host)) ? 1 : 0;
}

function networkLocations(text: string): Set<string> {
  return new Set([...text.matchAll(URL_PATTERN)].map(([url]) => networkLocation(url)));
}

/** What stands between `//` and the first slash or question mark; square brackets must hold an IP address. */
function networkLocation(url: string): string {
  const location = /^https?:\/\/([^/?#]*)/.exec(url)?.[1] ?? '';
  if (location.includes('[') !== location.includes(']')) raise('ValueError', 'Invalid IPv6 URL');
  const bracketed = /\[([^\]]*)/.exec(location)?.[1];
  if (bracketed !== undefined && !/^(?:v[\da-f]+\..+|[\da-f:.]*:[\da-f:.]*)$/i.test(bracketed)) {
    raise('ValueError', `'${bracketed}' does not appear to be an IPv4 or IPv6 address`);
  }
  return location;
}
