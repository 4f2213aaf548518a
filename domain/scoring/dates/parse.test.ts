import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dateNear, normDate } from '../reference/dates.ts';
import { calendarDate, dayNumber, isoDate } from './calendar.ts';
import { parseDate } from './parse.ts';

const read = (text: string): string | null => {
  const parsed = parseDate(text);
  return parsed === null ? null : parsed.kind === 'year' ? String(parsed.year) : isoDate(parsed.date);
};

describe('parseDate', () => {
  it.each([
    ['2021年3月5日', '2021-03-05'],
    ['2021年3月', '2021-03-01'],
    ['二〇二一年三月五日', '2021-03-05'],
    ['二〇二一年十二月二十五日', '2021-12-25'],
    ['２０２１年３月５日', '2021-03-05'],
    ['2021年3月5日（首映）', '2021-03-05'],
    ['5 March 2021 [2]', '2021-03-05'],
    ['20210304', '2021-03-04'],
    ['March 5, 2021', '2021-03-05'],
    ['Friday, March 5, 2021', '2021-03-05'],
    ['5th of March, 2021', '2021-03-05'],
    ['Sept. 9, 1999', '1999-09-09'],
    ['1 janvier 2020', '2020-01-01'],
    ['3. März 1999', '1999-03-03'],
    ['1 de mayo de 2001', '2001-05-01'],
    ['5-Mar-2021', '2021-03-05'],
    ['2021 March 5', '2021-03-05'],
    ['March 2021', '2021-03-01'],
    ['3/4/2021', '2021-03-04'],
    ['25/12/2020', '2020-12-25'],
    ['05.04.2019', '2019-05-04'],
    ['03/2021', '2021-03-01'],
    ['2021-03', '2021-03-01'],
    ['2021-03-05T23:30:00+09:00', '2021-03-05'],
    ['2021-03-05 10:00', '2021-03-05'],
    ['[5 March 2021](https://x.org)', '2021-03-05'],
    ['500-01-02', null],
    ['1500-01-02', '1500-01-02'],
    ['2021', '2021'],
    ['2021年', '2021'],
    ['2021-02-30', null],
    ['2020-02-29', '2020-02-29'],
    ['1900-02-29', null],
    ['13/13/2020', null],
    ['20211304', null],
    ['2021-03-05 25:00', null],
    ['May', null],
    ['12', null],
    ['3月5日', null],
    ['yesterday', null],
    ['1990s', null],
    ['Q1 2021', null],
    ['1999-2003', null],
    ['1999.0', null],
    ['公元前221年', null],
    ['0000', null],
    ['', null],
  ])('%s is %s', (text, wanted) => {
    expect(read(text)).toBe(wanted);
  });

  it('reads back every date it prints, and never throws', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1000, max: 9999 }),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 31 }),
        (year, month, day) => {
          const date = calendarDate(year, month, day);
          if (date === null) expect(day).toBeGreaterThan(28);
          else expect(read(isoDate(date))).toBe(isoDate(date));
        },
      ),
    );
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => void parseDate(text)));
  });
});

describe('dayNumber', () => {
  it('counts days as the calendar does', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('1000-01-01'), max: new Date('2999-12-31'), noInvalidDate: true }),
        (date) => {
          const day = calendarDate(date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate());
          const epoch = calendarDate(1970, 1, 1);
          expect(day).not.toBeNull();
          if (day !== null && epoch !== null) {
            expect(dayNumber(day) - dayNumber(epoch)).toBe(Math.floor(date.getTime() / 86_400_000));
          }
        },
      ),
    );
  });
});

describe('reference dates', () => {
  it('leave alone what depends on the clock or is no date', () => {
    expect(['2020', 'May', 'nan', '20210304', '1500-01-02'].map(normDate)).toEqual([
      '2020',
      'May',
      'nan',
      '20210304',
      '1500-01-02',
    ]);
  });

  it('compare dates with time and refuse a zone on one side', () => {
    expect(dateNear('nan', 'NaN')).toBe(1);
    expect(dateNear('nan', '2020-01-01')).toBe(0);
    expect(dateNear('nan', 'abc')).toBe(0);
    expect(dateNear('2021-01-01T00:00:00Z', '2021-01-01T00:00:00+09:00')).toBe(1);
    expect(() => dateNear('2021-01-01T00:00:00Z', '2021-01-01')).toThrow('TypeError');
  });
});
