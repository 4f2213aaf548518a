/** Words that carry no topic. Kept short: a longer list would start to encode a domain. */
const STOP = new Set(
  (
    'a an the of in on at to for from by with and or as is are was were be been has have had do does did it its ' +
    'their his her them they this that these those which who whom whose what where when how all every each any ' +
    'some there also into per than then me i you please give both either only other another one'
  ).split(' '),
);
const STOP_HAN = /[的了是在和与及或有为其之个哪些每各所以于把请被对从到这那它他她们并中]/u;

const NEGATIONS = new Map([
  ['without', 'no'],
  ['not', 'no'],
  ['none', 'no'],
]);

/** Two everyday names for one measurement. */
const MEASURES = new Map([
  ['weight', 'mass'],
  ['surface', 'area'],
  ['altitude', 'elevation'],
]);

/** Lower case without accents or width variants; the form in which texts are compared. */
export function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .normalize('NFKC')
    .replace(/[’‘`´]/g, "'")
    .toLowerCase();
}

/** Removes the commonest English endings; enough to let singular meet plural. */
export function stem(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (word.length > 4 && /(?:ss|sh|ch|x|z)es$/.test(word)) return word.slice(0, -2);
  if (word.length > 3 && word.endsWith('s') && !/(?:ss|us|is)$/.test(word)) return word.slice(0, -1);
  return word;
}

/** All words of a text, stemmed. Chinese has no spaces: neighbouring characters are taken in pairs. */
export function words(text: string): string[] {
  const found =
    fold(text).match(/\p{Script=Han}+|(?:(?!\p{Script=Han})[\p{L}\p{N}²³])+(?:'[\p{L}]+)*/gu) ?? [];
  return found.flatMap((word) => {
    if (isHan(word)) return pairsOf(word);
    const bare = word.replace(/'s?$/, '').replaceAll("'", '');
    return [NEGATIONS.get(word) ?? MEASURES.get(word) ?? stem(bare)];
  });
}

const pairsOf = (run: string): string[] => {
  const parts = run.split(STOP_HAN).filter((part) => part !== '');
  return parts.flatMap((part) => {
    const chars = [...part];
    return chars.length === 1 ? chars : chars.slice(1).map((char, at) => `${chars[at]}${char}`);
  });
};

/** Words that carry meaning; falls back to all words where only stop words were given. */
export function terms(text: string): string[] {
  const all = words(text);
  const content = all.filter((word) => !STOP.has(word));
  return content.length > 0 ? content : all;
}

/** 1 for equal words, less for words with a long common beginning (`discover` / `discoverer`), else 0. */
export function wordMatch(a: string, b: string): number {
  if (a === b) return 1;
  if (bare(a) === bare(b) && bare(a).length >= 2) return 0.8;
  const shorter = Math.min(a.length, b.length);
  if (shorter < 4) return 0;
  let shared = 0;
  while (shared < shorter && a[shared] === b[shared]) shared += 1;
  if (shared >= 4 && shared === shorter && Math.max(a.length, b.length) - shorter <= 3) return 0.8;
  if (shared < 4 || shared < 0.65 * Math.max(a.length, b.length)) return 0;
  return 0.8;
}

const bare = (word: string): string => word.replace(/(?:ing|ed|e)$/, '');

/** Share of `needle`'s terms that appear in `haystack`, 0..1. */
export function coverage(needle: readonly string[], haystack: readonly string[]): number {
  if (needle.length === 0) return 0;
  let sum = 0;
  for (const word of needle) {
    let best = 0;
    for (const other of haystack) best = Math.max(best, wordMatch(word, other));
    sum += best;
  }
  return sum / needle.length;
}

/** Harmonic mean of both coverages: 1 for the same terms in any order. */
export function overlap(a: readonly string[], b: readonly string[]): number {
  const there = coverage(a, b);
  const back = coverage(b, a);
  return there + back === 0 ? 0 : (2 * there * back) / (there + back);
}

/** A name reduced to what identifies it: no brackets, articles, punctuation or accents. */
export function nameKey(name: string): string {
  return fold(name.replace(/[(（][^)）]*[)）]/g, ' '))
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .replace(/^(?:the|a|an) /, '')
    .trim();
}

const HAN = /\p{Script=Han}/u;

/** True where the text is written in Chinese characters. */
export const isHan = (text: string): boolean => HAN.test(text);

/** Singular of the last word of an English phrase; other phrases unchanged. */
export function singular(phrase: string): string {
  return phrase.replace(/\p{L}+$/u, (word) => (isHan(word) ? word : stemKeepingCase(word)));
}

function stemKeepingCase(word: string): string {
  const lower = word.toLowerCase();
  const stemmed = stem(lower);
  let shared = 0;
  while (shared < stemmed.length && lower[shared] === stemmed[shared]) shared += 1;
  return word.slice(0, shared) + stemmed.slice(shared);
}

/** First letter in upper case. */
export const capitalise = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** A person reads `Ab, Cd; Ef and Gh` as four items; commas inside brackets do not split. */
export function splitEnumeration(text: string): string[] {
  const items: string[] = [];
  let depth = 0;
  let current = '';
  for (const char of text) {
    if ('([（'.includes(char)) depth += 1;
    if (')]）'.includes(char)) depth = Math.max(0, depth - 1);
    if (depth === 0 && ',;、，；'.includes(char)) {
      items.push(current);
      current = '';
    } else current += char;
  }
  items.push(current);
  return items
    .flatMap((item, index) =>
      index === items.length - 1 && !(items.length > 1 && LINKED.test(item)) ? splitLast(item) : [item],
    )
    .map((item) => item.replace(/^\s*(?:(?:and|as well as|or)\s+|以及|和|及|与)(?=\S)/u, '').trim())
    .filter((item) => item !== '');
}

const LINKED = /^\s*(?:(?:and|as well as|or)\s|以及|和|及|与)/u;

/**
 * The last part of an enumeration holds its last two items. Names may hold an `and` of their own, so that of several
 * the middle one separates; a bracket before it settles the matter.
 */
function splitLast(text: string): string[] {
  const closed = /^(.*?[)）])(?:\s+(?:and|or|as well as)\s+|和|以及|及|与)(.+)$/u.exec(text);
  if (closed) return [closed[1] ?? '', closed[2] ?? ''];
  const parts = text.split(/\s+(?:and|as well as|or|&)\s+|\s*(?:以及|(?<![共饱温])和(?![平谐])|及|与)\s*/u);
  if (parts.length < 3) return parts;
  const joints =
    text.match(/\s+(?:and|as well as|or|&)\s+|\s*(?:以及|(?<![共饱温])和(?![平谐])|及|与)\s*/gu) ?? [];
  const middle = Math.ceil(parts.length / 2);
  const join = (from: number, to: number): string =>
    parts
      .slice(from, to)
      .reduce((all, part, at) => (at === 0 ? part : all + (joints[from + at - 1] ?? ' ') + part), '');
  return [join(0, middle), join(middle, parts.length)];
}
