import { Readability } from '@mozilla/readability';
import { type DomDocument, type DomElement, plain } from './dom.ts';
import { isDataTable } from './tables.ts';

/** Readability's time grows faster than the page; longer pages are cut by their landmarks alone. */
const READABILITY_CHARS = 400_000;
/** Readability must keep this share of the text outside links that the landmarks hold. */
const KEPT_SHARE = 0.6;

const BOILERPLATE =
  'nav,footer,[role="navigation"],[role="banner"],[role="contentinfo"],[role="search"],[role="alertdialog"],' +
  '.breadcrumb,.breadcrumbs,.cookie-banner,.cookie-notice,#cookie-banner,.newsletter,.share-buttons,.social-share';
const LANDMARKS = ['#mw-content-text', 'main', '[role="main"]', 'article', '#content', '#main'];

/**
 * The element that holds a page's main text, from a cleaned document. Readability's choice, unless it lost a data table
 * or much of the text that the page's own landmarks hold: a table is often the answer, and losing one is silent.
 */
export function mainContent(document: DomDocument, html: string): DomElement {
  [...document.querySelectorAll('table')]
    .filter(isDataTable)
    .forEach((table) => table.setAttribute('data-kept', ''));
  const readable = html.length <= READABILITY_CHARS ? byReadability(document) : undefined;
  const landmark = byLandmark(document);
  if (!readable) return landmark;
  if (tables(readable) < tables(landmark)) return landmark;
  return proseLength(readable) >= KEPT_SHARE * proseLength(landmark) ? readable : landmark;
}

function byReadability(document: DomDocument): DomElement | undefined {
  const found = new Readability<DomElement>(document.cloneNode(true), {
    charThreshold: 200,
    serializer: (element: unknown) => element as DomElement,
  }).parse();
  return found?.content ?? undefined;
}

/** The page's own main element where it has exactly one, else the body; without navigation and the like. */
function byLandmark(document: DomDocument): DomElement {
  for (const element of [...document.querySelectorAll(BOILERPLATE)]) element.remove();
  for (const element of [...document.querySelectorAll('body > header, body > aside')])
    if (!element.querySelector('table[data-kept]')) element.remove();
  const whole = proseLength(document.body);
  for (const selector of LANDMARKS) {
    const found = [...document.querySelectorAll(selector)];
    const [only] = found;
    if (
      found.length === 1 &&
      only &&
      proseLength(only) >= whole / 2 &&
      tables(only) === tables(document.body)
    )
      return only;
  }
  return document.body;
}

const tables = (root: DomElement): number => root.querySelectorAll('table[data-kept]').length;

/** Characters of text outside links: menus are made of links. */
function proseLength(root: DomElement): number {
  let linked = 0;
  for (const anchor of root.querySelectorAll('a')) linked += plain(anchor.textContent).length;
  return plain(root.textContent).length - linked;
}
