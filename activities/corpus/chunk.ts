/** A run of non-space text, or one character of a script that is written without spaces. */
const UNIT =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+/gu;

/** After a full stop that ends a sentence; Chinese ones need no space behind them. */
const SENTENCE_END = /(?<=[.!?]["')\]]?\s)|(?<=[。！？])/u;

/** Words of a text; a Chinese or Japanese character counts as one. */
export const countWords = (text: string): number => text.match(UNIT)?.length ?? 0;

/** The first `words` words with what stands between them. */
export const firstWords = (text: string, words: number): string => {
  let left = words;
  for (const match of text.matchAll(UNIT)) {
    left -= 1;
    if (left === 0) return text.slice(0, match.index + match[0].length);
  }
  return text;
};

const cutHard = (text: string, words: number): string[] => {
  const parts: string[] = [];
  for (let rest = text; rest !== '';) {
    const part = firstWords(rest, words);
    parts.push(part);
    rest = rest.slice(part.length);
  }
  return parts;
};

/** Lines; a line that is too long becomes sentences, and a sentence that is too long is cut between words. */
const pieces = (text: string, words: number): string[] =>
  text
    .split(/(?<=\n)/)
    .flatMap((line) => (countWords(line) <= words ? [line] : line.split(SENTENCE_END)))
    .flatMap((piece) => (countWords(piece) <= words ? [piece] : cutHard(piece, words)));

/**
 * Cuts a page into passages of at most `words` words, at line ends where possible, else at sentence ends.
 * Nothing is lost but white space around a passage; an empty page has no passages.
 */
export const chunkText = (text: string, words: number): string[] => {
  const chunks: string[] = [];
  let current = '';
  let size = 0;
  const close = (): void => {
    if (current.trim() !== '') chunks.push(current.trim());
    current = '';
    size = 0;
  };
  for (const piece of pieces(text, words)) {
    const length = countWords(piece);
    if (size + length > words) close();
    current += piece;
    size += length;
  }
  close();
  return chunks;
};
