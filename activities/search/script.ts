/**
 * Whether at least half of a text's letters are Latin; a text without letters counts as Latin. An encoder that
 * learned English sees little but unknown characters in other scripts.
 */
export const isLatin = (text: string): boolean => {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const latin = text.match(/\p{Script=Latin}/gu)?.length ?? 0;
  return latin * 2 >= letters;
};
