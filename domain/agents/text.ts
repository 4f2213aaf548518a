/**
 * Estimates tokens of a text for a model whose tokenizer we do not have: about 3.6 characters a token for
 * alphabetic scripts, 1 token for a CJK character. Errs on the high side for budgets; providers' own counts
 * replace it as soon as they arrive.
 */
export function estimateTokens(text: string): number {
  let wide = 0;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) >= 0x2e80) wide++;
  return Math.ceil((text.length - wide) / 3.6 + wide);
}

/** Characters of `text` that fit into `tokens` by the same estimate; cuts at a line end where one is near. */
export function cutToTokens(text: string, tokens: number): string {
  if (estimateTokens(text) <= tokens) return text;
  let used = 0;
  let end = 0;
  while (end < text.length) {
    used += text.charCodeAt(end) >= 0x2e80 ? 1 : 1 / 3.6;
    if (used > tokens) break;
    end++;
  }
  if (end > 0 && /[\uD800-\uDBFF]/.test(text[end - 1] ?? '')) end--;
  const lineEnd = text.lastIndexOf('\n', end);
  return text.slice(0, lineEnd > end * 0.8 ? lineEnd : end);
}

/**
 * Fits several texts into `budget` tokens together: short ones stay whole, the rest share what is left
 * equally, and each cut says so. Returns texts in the same order; total at most `budget`.
 */
export function fitTexts(
  texts: readonly string[],
  budget: number,
  note: (shown: number, all: number) => string,
): string[] {
  const sizes = texts.map(estimateTokens);
  if (sizes.reduce((sum, size) => sum + size, 0) <= budget) return [...texts];
  const order = sizes.map((_, index) => index).sort((a, b) => sizes[a]! - sizes[b]!);
  const share = new Array<number>(texts.length).fill(0);
  let left = Math.max(0, budget);
  order.forEach((index, position) => {
    share[index] = Math.min(sizes[index]!, Math.floor(left / (order.length - position)));
    left -= share[index];
  });
  return texts.map((text, index) => {
    if (sizes[index]! <= share[index]!) return text;
    const longest = note(text.length, text.length);
    const cut = cutToTokens(text, Math.max(0, share[index]! - estimateTokens(longest) - 1));
    return cut.length === 0 ? '' : `${cut}\n${note(cut.length, text.length)}`;
  });
}

/** `zh` if a good part of the letters are CJK: decides the language of prompts. */
export function detectLanguage(text: string): 'en' | 'zh' {
  const han = text.match(/\p{Script=Han}/gu)?.length ?? 0;
  const latin = text.match(/\p{Script=Latin}+/gu)?.length ?? 0;
  return han > 0 && han >= latin ? 'zh' : 'en';
}

/** Tags that chat templates, tool-call parsers and our own protocol read. */
const TAGS =
  /<(?=\||\/?(?:tool_call|tool_response|think|merged_table|information|search|access|answer)\b)/giu;
/** A line that would open or close the fence around page text. */
const FENCES = /^([^\S\n]*)(<<<|>>>)(?=[^\S\n]*$)/gmu;
/** What the engine tells an agent about its turns (prompts.ts). */
const TURNS = /\[(?=\s*(?:turn\s+\d|第\s*\d+\s*轮))/giu;

/**
 * Makes text from outside (pages, search hits, reports) harmless as data: special tokens and tool tags of chat
 * templates, the fence around pages and the engine's turn hints can no longer be read as such. The characters stay
 * readable, their number the same; stored page text is not changed. Idempotent.
 */
export const neutralise = (text: string): string =>
  text
    .replace(TAGS, '‹')
    .replace(FENCES, (_line, space: string, fence: string) => space + (fence === '<<<' ? '‹‹‹' : '›››'))
    .replace(TURNS, '(');
