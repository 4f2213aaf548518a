/** Links and images keep their text: `[red](https://x.org/r)` is `red`. One level of brackets inside the address is allowed. */
const LINK = /!?\[([^[\]]*)\]\((?:[^()\s]|\([^()\s]*\))*(?:\s+"[^"]*")?\s*\)/g;
/** Underscores are emphasis only at word edges, so `snake_case_name` stays. */
const UNDERSCORES = /(?<![\p{L}\p{N}_])(_{1,3})(?=[^\s_])([^_]+)(?<=[^\s_])\1(?![\p{L}\p{N}_])/gu;

/** The text a reader sees: link text, without emphasis, strike-through and inline code marks. */
export function stripMarkup(text: string): string {
  if (!/[*_`~[]/.test(text)) return text;
  return text
    .replace(LINK, '$1')
    .replace(UNDERSCORES, '$2')
    .replace(/\*\*|~~|`/g, '')
    .replace(/\*(?=\S)([^*]+)(?<=\S)\*/g, '$1');
}
