import { canonicalUrl } from '../search/canonical-url.ts';

/** Parameters that say where a reader came from, not what the page is. */
const TRACKING =
  /^(utm_\w+|fbclid|gclid|gclsrc|dclid|gbraid|wbraid|msclkid|yclid|twclid|ttclid|igshid|igsh|mc_[ce]id|_ga|_gl|_hs(enc|mi)|mkt_tok|vero_id|oly_(anon|enc)_id|wickedid|s_cid|cmpid|ref_src|ref_url|spm|scm|share_(token|source|medium)|from_source|at_(medium|campaign)|ns_(source|campaign|mchannel)|guccounter|guce_referrer(_sig)?)$/i;
const MOBILE_LABELS = new Set(['m', 'mobile', 'touch', 'wap', 'amp']);
const WIKIS = /\.(wikipedia|wikimedia|wiktionary|wikivoyage|wikiquote|wikisource|wikibooks|wikidata)\.org$/;

/**
 * The address under which a page is fetched: without fragment and tracking parameters, and a wiki's desktop form.
 * Other mobile hosts are left: their pages may exist nowhere else. Text that is no URL is returned as it is.
 */
export function cleanUrl(url: string): string {
  const text = url.trim();
  if (!URL.canParse(text)) return text;
  const parsed = new URL(text);
  parsed.hash = '';
  for (const name of [...new Set(parsed.searchParams.keys())])
    if (TRACKING.test(name)) parsed.searchParams.delete(name);
  if (WIKIS.test(parsed.hostname))
    parsed.hostname = parsed.hostname
      .split('.')
      .filter((label, index, all) => !(label === 'm' && index < all.length - 2))
      .join('.');
  // An emptied query leaves its question mark otherwise.
  if (parsed.searchParams.size === 0) parsed.search = '';
  return parsed.href;
}

/**
 * The key of a page: two addresses with one key are the same page, and it is read once. On top of `cleanUrl`, mobile and
 * `www.` hosts are the site itself, the order of parameters does not matter, and neither does what
 * `canonicalUrl` ignores (scheme, closing slash, percent-encoding, a wiki's forms).
 */
export function pageKey(url: string): string {
  const cleaned = cleanUrl(url);
  if (!URL.canParse(cleaned)) return cleaned;
  const parsed = new URL(cleaned);
  parsed.searchParams.sort();
  const labels = parsed.hostname.split('.');
  while (labels.length > 2 && (labels[0] === 'www' || MOBILE_LABELS.has(labels[0] ?? ''))) labels.shift();
  // An address in numbers has no mobile form.
  if (!/^[\d.]+$|:/.test(parsed.hostname)) parsed.hostname = labels.join('.');
  return canonicalUrl(parsed.href);
}
