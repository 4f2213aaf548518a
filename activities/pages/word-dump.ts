/** A text must have this many words before its statistics mean anything. */
const MIN_WORDS = 300;
/** Words without any punctuation or line end between them; the longest sentences of real prose stay far below. */
const LONGEST_RUN = 600;
const MOST_COMMON_SHARE = 0.4;
const SAMPLE_CHARS = 400_000;

/**
 * Whether a text is words without statements: one word or phrase repeated, or a long run of words with no
 * punctuation (search-engine bait). Tables, lists and code have line ends and are not taken for one.
 */
export function isWordDump(text: string): boolean {
  const sample = text.slice(0, SAMPLE_CHARS);
  const words =
    sample.toLowerCase().match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}]+/gu) ??
    [];
  if (words.length < MIN_WORDS) return false;
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const letters = [...counts].filter(([word]) => /\p{L}/u.test(word));
  if (Math.max(0, ...letters.slice(0, 50_000).map(([, count]) => count)) > MOST_COMMON_SHARE * words.length)
    return true;
  // A phrase repeated: hardly any word is new.
  if (words.length > 2_000 && counts.size < words.length * 0.005) return true;
  return longestRun(sample) > LONGEST_RUN;
}

function longestRun(text: string): number {
  let longest = 0;
  for (const stretch of text.split(/[.,;:!?()[\]|"“”\n。，；：！？、（）「」《》\-–—/]+/)) {
    if (stretch.length < LONGEST_RUN) continue;
    const words = stretch.match(/[\p{Script=Han}]|[\p{L}\p{N}]+/gu)?.length ?? 0;
    longest = Math.max(longest, words);
  }
  return longest;
}
