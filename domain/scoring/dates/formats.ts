import type { CalendarDate } from './calendar.ts';
import { calendarDate } from './calendar.ts';
import { dropWeekday, monthOf } from './months.ts';

const TIME = /^(.*?\d)(?:T|\s+)(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2})?$/i;

/**
 * A full or month-precise date in one of the formats of 6.3, with an optional time behind it. Month-day-year where
 * that is ambiguous, the first of the month where no day is written. Null for everything else.
 */
export function parseFormats(text: string): CalendarDate | null {
  const trimmed = text.trim();
  const time = TIME.exec(trimmed);
  if (time === null) return parseDay(trimmed);
  const [, day = '', hours = '', minutes = '', , zone] = time;
  const date = parseDay(day);
  if (date === null || Number(hours) > 23 || Number(minutes) > 59) return null;
  return {
    ...date,
    minutes: Number(hours) * 60 + Number(minutes),
    zoned: zone !== undefined,
    offset: offsetOf(zone),
  };
}

function offsetOf(zone: string | undefined): number {
  const match = /^([+-])(\d{2}):?(\d{2})$/.exec(zone ?? '');
  if (match === null) return 0;
  return (match[1] === '-' ? -1 : 1) * (Number(match[2]) * 60 + Number(match[3]));
}

function parseDay(text: string): CalendarDate | null {
  return parseNumeric(text) ?? parseChinese(text) ?? parseNamed(text);
}

function parseNumeric(text: string): CalendarDate | null {
  const parts =
    /^(\d{1,4})([-/.])(\d{1,2})(?:\2(\d{1,4}))?$/.exec(text) ?? /^(\d{1,2})([-/])(\d{4})$/.exec(text);
  if (parts === null) return null;
  const [, first = '', separator, second = '', third] = parts;
  const [a, b] = [Number(first), Number(second)];
  if (third === undefined) {
    if (separator === '.') return null;
    if (first.length === 4) return calendarDate(a, b, 1);
    return second.length === 4 ? calendarDate(b, a, 1) : null;
  }
  const c = Number(third);
  if (first.length === 4 && third.length <= 2) return calendarDate(a, b, c) ?? swapped(a, b, c);
  if (first.length <= 2 && third.length === 4) return calendarDate(c, a, b) ?? swapped(c, a, b);
  return null;
}

/** Month and day exchanged, for `25/12/2020` and `2021-13-01`. */
const swapped = (year: number, month: number, day: number): CalendarDate | null =>
  month > 12 ? calendarDate(year, day, month) : null;

function parseChinese(text: string): CalendarDate | null {
  const match = /^(\d{2}|\d{4})\s*年\s*(\d{1,2})\s*月(?:\s*(\d{1,2})\s*[日号]?)?$/.exec(text);
  if (match === null) return null;
  const year = Number(match[1]);
  return calendarDate(
    match[1]?.length === 2 ? twoDigitYear(year) : year,
    Number(match[2]),
    Number(match[3] ?? 1),
  );
}

/** POSIX rule: 69 to 99 are 1969 to 1999. */
const twoDigitYear = (year: number): number => (year < 69 ? 2000 + year : 1900 + year);

function parseNamed(text: string): CalendarDate | null {
  const words = dropWeekday(text)
    .replace(/(\d)(?:st|nd|rd|th|er|º|ª|\.)(?=[\s,]|$)/gi, '$1')
    .replace(/^(\d{1,2})-(\p{L}+\.?)-(\d{4})$/u, '$1 $2 $3')
    .split(/[\s,]+/)
    .filter((word) => word !== '' && !/^(?:of|de|del|the)$/i.test(word));
  const shape = words
    .map((word) => (/^\d{4}$/.test(word) ? 'y' : /^\d{1,2}$/.test(word) ? 'd' : 'm'))
    .join('');
  const at = (kind: string): string => words[shape.indexOf(kind)] ?? '';
  if (!['mdy', 'dmy', 'my', 'ymd', 'ydm', 'ym'].includes(shape)) return null;
  const month = monthOf(at('m'));
  if (month === null) return null;
  return calendarDate(Number(at('y')), month, shape.includes('d') ? Number(at('d')) : 1);
}
