const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+/gu;

const bigrams = (run: string): string => {
  const characters = [...run];
  if (characters.length < 2) return run;
  return characters
    .slice(1)
    .map((character, i) => `${characters[i]}${character}`)
    .join(' ');
};

/**
 * Text as the full-text index and its queries see it. Chinese, Japanese and Korean put no spaces between words, so
 * their runs become overlapping pairs of characters; everything else is left to the index's own tokenizer.
 */
export const searchTerms = (text: string): string =>
  text.normalize('NFKC').replace(CJK, (run) => ` ${bigrams(run)} `);
