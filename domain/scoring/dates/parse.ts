import { stripMarkup } from '../../tables/markup.ts';
import type { CalendarDate } from './calendar.ts';
import { calendarDate } from './calendar.ts';
import { parseFormats } from './formats.ts';

/** A date, a year alone (equal only to the same year alone), or neither. */
export type ParsedDate = { kind: 'day'; date: CalendarDate } | { kind: 'year'; year: number } | null;

const CHINESE_DIGITS = '〇一二三四五六七八九';

/**
 * FIX-12: dates without a clock. On top of the formats of 6.3: ISO basic (`20210304`), `2021年`, Chinese numerals and
 * a date followed by a bracketed remark. A month without a year, relative words and other bare numbers are text.
 */
export function parseDate(text: string): ParsedDate {
  const plain = chineseNumerals(stripMarkup(text.normalize('NFKC')))
    .replaceAll('*', '')
    .trim();
  return parsePlain(plain) ?? parsePlain(dropRemark(plain));
}

function parsePlain(text: string): ParsedDate {
  const year = /^(\d{4})\s*年?$/.exec(text);
  if (year !== null) return Number(year[1]) > 0 ? { kind: 'year', year: Number(year[1]) } : null;
  const basic = /^(\d{4})(\d{2})(\d{2})$/.exec(text);
  const date =
    basic === null ? parseFormats(text) : calendarDate(Number(basic[1]), Number(basic[2]), Number(basic[3]));
  return date === null ? null : { kind: 'day', date };
}

/** `2021年3月5日(首映)` and `5 March 2021 [2]`; NFKC has already made the brackets ASCII. */
const dropRemark = (text: string): string => text.replace(/\s*[([【][^()[\]【】]*[)\]】]$/, '').trim();

/** `二〇二一年三月十五日` with ASCII digits; text without 年 or 月 is left alone. */
function chineseNumerals(text: string): string {
  if (!/[年月]/.test(text)) return text;
  return text.replace(/[〇零○一二三四五六七八九十]+/g, (run) => {
    const digits = run.replace(/[零○]/g, '〇');
    if (!digits.includes('十')) return [...digits].map((char) => CHINESE_DIGITS.indexOf(char)).join('');
    const [tens = '', ones = ''] = digits.split('十');
    const value = (part: string, empty: number): number =>
      part === '' ? empty : CHINESE_DIGITS.indexOf(part);
    return String(value(tens, 1) * 10 + value(ones, 0));
  });
}
