const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+/gu;

/** Characters by themselves, for names of one character such as an element's, then overlapping pairs. */
const grams = (run: string): string => {
  const characters = [...run];
  const pairs = characters.slice(1).map((character, i) => `${characters[i]}${character}`);
  return [...characters, ...pairs].join(' ');
};

/**
 * Text as the full-text index and its queries see it. Chinese, Japanese and Korean put no spaces between words, so
 * their runs become characters and pairs of characters; everything else is left to the index's own tokenizer.
 */
export const searchTerms = (text: string): string =>
  text.normalize('NFKC').replace(CJK, (run) => ` ${grams(run)} `);
