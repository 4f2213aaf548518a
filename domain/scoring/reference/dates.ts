import type { CalendarDate } from '../dates/calendar.ts';
import { dayNumber, isoDate } from '../dates/calendar.ts';
import { parseFormats } from '../dates/formats.ts';
import { monthOf } from '../dates/months.ts';
import { raise, strip } from './text.ts';

/** Texts the reference dates relative to today. Here they are a date of their own that equals only the same text. */
const CLOCK_WORDS =
  /^(?:\d{4}|\d{1,2}|\d{4}年|\d{1,2}月\d{1,2}日?|\d{4}s|c\. ?\d{4}|nan|n\/a|now|today|yesterday|tomorrow|今天|昨天|明天)$/i;

type ReferenceDate = { kind: 'day'; date: CalendarDate } | { kind: 'clock'; text: string } | null;

/** 6.3 as a table of formats. Years before 1600 are not parsed there. */
function parseReference(text: string): ReferenceDate {
  const plain = strip(text.replaceAll('*', ''));
  if (CLOCK_WORDS.test(plain) || monthOf(plain) !== null) return { kind: 'clock', text: plain.toLowerCase() };
  const date = parseFormats(plain);
  return date === null || date.year < 1600 ? null : { kind: 'day', date };
}

/** `YYYY-MM-DD`, or the input where it is no date or depends on the clock. */
export function normDate(text: string): string {
  const parsed = parseReference(text);
  return parsed?.kind === 'day' ? isoDate(parsed.date) : text;
}

/** 8.2: 1 where neither side is a date; days are floored towards minus infinity; a zone on one side only raises. */
export function dateNear(answer: string, gold: string): 0 | 1 {
  const [left, right] = [parseReference(answer), parseReference(gold)];
  if (left === null && right === null) return 1;
  if (left === null || right === null) return 0;
  if (left.kind === 'clock' || right.kind === 'clock') {
    return left.kind === 'clock' && right.kind === 'clock' && left.text === right.text ? 1 : 0;
  }
  if (left.date.zoned !== right.date.zoned) raise('TypeError', 'offset-naive and offset-aware datetimes');
  const minutes = (date: CalendarDate): number => dayNumber(date) * 1440 + date.minutes - date.offset;
  return Math.abs(Math.floor((minutes(left.date) - minutes(right.date)) / 1440)) <= 31 ? 1 : 0;
}
