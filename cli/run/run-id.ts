const FILLER = new Set(
  'a all an and are as at be by can do does each every find for from give has have how i in is it list me of on or please show table tell that the their there these this to was were what when where which who with'.split(
    ' ',
  ),
);
const SLUG_CHARS = 28;

/** The first telling words of a question in ASCII, e.g. `landlocked-countries-africa`; `question` where there are none. */
export const slugOf = (question: string): string => {
  const words = question
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word.length > 1 && !FILLER.has(word));
  let slug = '';
  for (const word of words) {
    const longer = slug === '' ? word.slice(0, SLUG_CHARS) : `${slug}-${word}`;
    if (longer.length > SLUG_CHARS) break;
    slug = longer;
  }
  return slug || 'question';
};

/**
 * Id of a run: UTC time, words of the question, four random characters. Sorts by time, reads well, and is safe as a
 * file name and in a URL. `random(below)` gives an integer from 0 up to `below`.
 */
export const newRunId = (question: string, now: number, random: (below: number) => number): string => {
  const stamp = new Date(now).toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 13);
  const tail = Array.from({ length: 4 }, () => random(36).toString(36)).join('');
  return `${stamp}-${slugOf(question)}-${tail}`;
};
