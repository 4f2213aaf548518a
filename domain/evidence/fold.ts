/**
 * Letters that Unicode does not decompose and that writers drop when they type without diacritics.
 * Marks are only removed from these scripts: in Japanese and Indic scripts a mark changes the letter.
 */
const PLAIN: Readonly<Record<string, string>> = {
  ß: 'ss',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  æ: 'ae',
  œ: 'oe',
  ı: 'i',
};

/** Scripts that are written without spaces, or with particles glued to words: matched character by character. */
export const UNSPACED =
  '\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}';
const unspaced = new RegExp(`[${UNSPACED}ー々]`, 'u');

/** True for one character of a script that is matched character by character. */
export const isUnspaced = (character: string): boolean => unspaced.test(character);

/**
 * Full-width ASCII and the ideographic space become their narrow forms. The result has the same length in
 * UTF-16 units as the text, so offsets stay valid.
 */
export const narrow = (text: string): string =>
  text.replace(/[\uff01-\uff5e\u3000]/g, (c) =>
    c === '\u3000' ? ' ' : String.fromCharCode(c.charCodeAt(0) - 0xfee0),
  );

/** One word for comparison: compatibility forms, case, apostrophes and the diacritics of Latin letters are gone. */
export const foldWord = (word: string): string => {
  const lower = word
    .normalize('NFKC')
    .toLowerCase()
    .replace(/['’ʼ`‘.]/g, '');
  // eslint-disable-next-line no-control-regex -- plain ASCII needs no further work, and most words are plain
  if (/^[\x00-\x7f]*$/.test(lower)) return lower;
  return lower
    .normalize('NFD')
    .replace(/(\p{sc=Latin})\p{Mn}+/gu, '$1')
    .normalize('NFC')
    .replace(/[ßøłđðþæœı]/g, (c) => PLAIN[c] ?? c);
};
