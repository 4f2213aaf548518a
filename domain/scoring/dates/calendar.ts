/** A calendar date and, where the text had one, the time of day in minutes and whether a zone was written. */
export interface CalendarDate {
  year: number;
  month: number;
  day: number;
  minutes: number;
  zoned: boolean;
  /** Minutes east of UTC where a zone was written. */
  offset: number;
}

/** Null unless the day exists in the Gregorian calendar. */
export function calendarDate(year: number, month: number, day: number): CalendarDate | null {
  if (year < 1 || year > 9999 || month < 1 || month > 12 || day < 1) return null;
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const length = month === 2 ? (leap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
  return day > length ? null : { year, month, day, minutes: 0, zoned: false, offset: 0 };
}

/** `YYYY-MM-DD`, the year padded to four digits. */
export const isoDate = (date: CalendarDate): string =>
  `${String(date.year).padStart(4, '0')}-${String(date.month).padStart(2, '0')}-${String(date.day).padStart(2, '0')}`;

/** Days since 1 March of year 0 in the proleptic Gregorian calendar; only differences mean anything. */
export function dayNumber(date: CalendarDate): number {
  const shifted = date.month <= 2 ? date.year - 1 : date.year;
  const month = (date.month + 9) % 12;
  return (
    365 * shifted +
    Math.floor(shifted / 4) -
    Math.floor(shifted / 100) +
    Math.floor(shifted / 400) +
    Math.floor((153 * month + 2) / 5) +
    date.day
  );
}
