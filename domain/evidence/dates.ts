/** A calendar date as far as it was written: `month` and `day` are 0 where absent. */
export interface WrittenDate {
  year: number;
  month: number;
  day: number;
}

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const NAME =
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?';
const month = (name = ''): number => MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1;

type Reader = (groups: readonly (string | undefined)[]) => WrittenDate | undefined;
const ymd: Reader = ([, y, m, d]) => ({ year: Number(y), month: Number(m), day: Number(d ?? 0) });
/** `03/04/2020` has two readings and gives no date; `25/12/2020` and `05/05/2020` have one. */
const slashes: Reader = ([, a, b, y]) => {
  const [first, second, year] = [Number(a), Number(b), Number(y)];
  if (first > 12 || first === second) return { year, month: second, day: first };
  return second > 12 ? { year, month: first, day: second } : undefined;
};

const FORMS: readonly (readonly [RegExp, Reader])[] = [
  [/(\d{4})\s?年\s?(\d{1,2})\s?月(?:\s?(\d{1,2})\s?[日号])?/y, ymd],
  [/(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)/y, ymd],
  [/(\d{4})\/(\d{1,2})\/(\d{1,2})(?!\d)/y, ymd],
  [/(\d{4})\.(\d{1,2})\.(\d{1,2})(?![\d.])/y, ymd],
  [/(\d{1,2})\/(\d{1,2})\/(\d{4})(?!\d)/y, slashes],
  [
    /(\d{1,2})\.(\d{1,2})\.(\d{4})(?!\d)/y,
    ([, d, m, y]) => ({ year: Number(y), month: Number(m), day: Number(d) }),
  ],
  [
    new RegExp(`(\\d{1,2})(?:st|nd|rd|th)?(?: of)?[ -]${NAME},?[ -](\\d{4})(?!\\d)`, 'iy'),
    ([, d, name, y]) => ({ year: Number(y), month: month(name), day: Number(d) }),
  ],
  [
    new RegExp(`${NAME} (\\d{1,2})(?:st|nd|rd|th)?,? (\\d{4})(?!\\d)`, 'iy'),
    ([, name, d, y]) => ({ year: Number(y), month: month(name), day: Number(d) }),
  ],
  [
    new RegExp(`${NAME},? (\\d{4})(?!\\d)`, 'iy'),
    ([, name, y]) => ({ year: Number(y), month: month(name), day: 0 }),
  ],
];

/** The date that starts exactly at `at` in the text (narrow digits), with its end offset. */
export const dateAt = (text: string, at: number): (WrittenDate & { end: number }) | undefined => {
  for (const [form, read] of FORMS) {
    form.lastIndex = at;
    const found = form.exec(text);
    if (!found) continue;
    const date = read(found);
    if (date && date.month >= 1 && date.month <= 12 && date.day <= 31)
      return { ...date, end: form.lastIndex };
  }
  return undefined;
};

/** A date of the page supports a cell's date if it says at least as much and the same. */
export const dateCovers = (page: WrittenDate, cell: WrittenDate): boolean =>
  page.year === cell.year &&
  (cell.month === 0 || page.month === cell.month) &&
  (cell.day === 0 || page.day === cell.day);
