const MARKDOWN_LINK = /\[[^[\]]*\]\(\s*<?([^()\s<>]*)>?[^()]*\)/g;
/** What ends the authority of a URL in running text, Chinese punctuation included. */
const AUTHORITY = /https?:\/\/([^\s/?#\\"'<>()[\]{}|^`,;，。；、！？（）【】《》“”]*)/gi;

/**
 * FIX-16: two cells name the same set of hosts. Link targets count, not link texts; path, query, scheme, `www.`, user
 * info and port do not. Without a URL a bare domain counts; without either on both sides null (compare as text).
 */
export function sameHosts(response: string, target: string): boolean | null {
  const left = hostsOf(response);
  const right = hostsOf(target);
  if (left.size === 0 && right.size === 0) return null;
  return left.size === right.size && [...left].every((host) => right.has(host));
}

/** Normalised hosts of a text. */
export function hostsOf(text: string): Set<string> {
  const plain = text.replace(MARKDOWN_LINK, ' $1 ');
  const found = [...plain.matchAll(AUTHORITY)].map((match) => normaliseHost(match[1] ?? ''));
  const hosts = new Set(found.filter((host) => host !== ''));
  if (hosts.size > 0) return hosts;
  const words = plain.split(/[^\p{L}\p{N}.-]+/u).filter(isDomain);
  return new Set(words.map(normaliseHost));
}

/** At least two labels, the last one letters: `a.org`, not `1.5`. */
function isDomain(word: string): boolean {
  const labels = word.replace(/\.+$/, '').split('.');
  const valid = labels.every((label) => label !== '' && !label.startsWith('-') && !label.endsWith('-'));
  return labels.length > 1 && valid && /^\p{L}{2,}$/u.test(labels.at(-1) ?? '');
}

/** Lower case, punycode, without user info, port, `www.` and trailing dots. A port other than the default stays. */
function normaliseHost(authority: string): string {
  const host = authority.slice(authority.lastIndexOf('@') + 1).replace(/[.:]+$/, '');
  let name: string;
  try {
    name = new URL(`http://${host}`).host;
  } catch {
    name = host.toLowerCase();
  }
  return name.replace(/:(?:80|443)$/, '').replace(/^www\./, '');
}
