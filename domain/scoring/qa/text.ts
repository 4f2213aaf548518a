const HAN = /\p{Script=Han}/u;

/** Lower-cased, punctuation and symbols to spaces, white space collapsed (ASearcher 3.6). */
export const normaliseAnswer = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\p{P}\p{S}]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();

/** For exact match also without English articles; `true` and `false` are `yes` and `no`. */
export function exactForm(text: string): string {
  const words = normaliseAnswer(text)
    .split(' ')
    .filter((word) => !['a', 'an', 'the'].includes(word));
  const joined = words.join(' ');
  return joined === 'true' ? 'yes' : joined === 'false' ? 'no' : joined;
}

/** Whether a text has Chinese characters, so that words are not separated by spaces. */
export const isChinese = (text: string): boolean => HAN.test(text);

/** Words; for Chinese single characters, with runs of digits as one token. */
export function tokensOf(text: string, chinese: boolean): Set<string> {
  const normal = normaliseAnswer(text);
  if (normal === '') return new Set();
  return new Set(chinese ? (normal.match(/\p{Nd}+|\S/gu) ?? []) : normal.split(' '));
}
