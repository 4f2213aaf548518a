/** How much of a Chinese phrase a title covers, counted in characters, since it has no spaces to tell its words. */
export interface HanCover {
  /** Characters of the phrase without its noun. */
  total: number;
  /** Those that stand in the title next to the same neighbour. */
  met: number;
  /** Stretches of two characters or more that the title does not have. */
  open: string[];
}

const FILLER = /[的了是在于和与及或有为其之以把请被对从到这那属位处呈\s]+/u;

/** Covers a phrase, cut at its noun and at function words, by pairs of neighbouring characters of a title. */
export function coverHan(phrase: string, noun: string, title: string): HanCover {
  const segments = phrase
    .split(noun === '' ? /[，。]/u : noun)
    .flatMap((part) => part.split(FILLER))
    .filter((part) => part !== '');
  const cover: HanCover = { total: 0, met: 0, open: [] };
  for (const segment of segments) {
    const chars = [...segment];
    const found = chars.map(
      (char, at) =>
        (chars.length === 1 && title.includes(char)) ||
        (at > 0 && title.includes(`${chars[at - 1]}${char}`)) ||
        (at + 1 < chars.length && title.includes(`${char}${chars[at + 1]}`)),
    );
    cover.total += chars.length;
    cover.met += found.filter(Boolean).length;
    const runs = chars
      .map((char, at) => (found[at] ? ' ' : char))
      .join('')
      .split(/\s+/);
    cover.open.push(...runs.filter((run) => run.length >= 2));
  }
  return cover;
}
