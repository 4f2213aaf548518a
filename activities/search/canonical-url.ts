const decode = (text: string): string => {
  try {
    return decodeURIComponent(text.replace(/\+/g, ' '));
  } catch {
    return text;
  }
};

const title = (text: string): string => encodeURIComponent(decode(text).trim().replace(/ /g, '_'));

/**
 * The key under which a page is stored and looked up. Scheme, fragment, a closing slash, the case of the host and
 * the way of percent-encoding do not matter; neither does which of a wiki's forms names an article:
 * `/wiki/T`, `index.php/T` (spec 2.5) and `index.php?title=T` are one key. Text that is no URL is its own key.
 */
export const canonicalUrl = (url: string): string => {
  const text = url.trim().replace('index.php/', 'index.php?title=');
  if (!URL.canParse(text)) return text;
  const parsed = new URL(text);
  const article = parsed.searchParams.get('title');
  if (parsed.pathname.endsWith('/index.php') && article && parsed.searchParams.size === 1)
    return `${parsed.host}/w/index.php?title=${title(article)}`;
  if (parsed.host.endsWith('wikipedia.org') && parsed.pathname.startsWith('/wiki/'))
    return `${parsed.host}/w/index.php?title=${title(parsed.pathname.slice('/wiki/'.length))}`;
  const path = parsed.pathname
    .split('/')
    .map((part) => encodeURIComponent(decode(part)))
    .join('/');
  return `${parsed.host}${path.replace(/\/+$/, '')}${parsed.search}`;
};
