const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

/**
 * The text of markup without building a tree: for feeds, and for pages too large or too deep for one. Linear in the
 * input, whatever it is.
 */
export function stripTags(markup: string): string {
  return markup
    .replace(/<(script|style|noscript)\b[^<]*(?:<(?!\/\1)[^<]*)*<\/\1\s*>/gi, ' ')
    .replace(/<\/?(?:p|div|li|tr|h[1-6]|br|item|entry|section|table|ul|ol)\b[^<>]*>/gi, '\n')
    .replace(/<\/t[dh]\s*>/gi, ' | ')
    .replace(/<!\[CDATA\[|\]\]>/g, '')
    .replace(/<[^<>]*>/g, ' ')
    .replace(
      /&(#x?)?(\w{1,8});/g,
      (whole, hash: string | undefined, name: string) => entity(hash, name) ?? whole,
    )
    .split('\n')
    .map((line) => line.replace(/[^\S\n]+/g, ' ').trim())
    .filter((line) => line !== '')
    .join('\n');
}

function entity(hash: string | undefined, name: string): string | undefined {
  if (!hash) return NAMED[name.toLowerCase()];
  const code = Number.parseInt(name, hash === '#' ? 10 : 16);
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}
