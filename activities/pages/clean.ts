import { childrenOf, type DomDocument, type DomElement, plain, unwrap } from './dom.ts';

const DROPPED =
  'script,style,noscript,template,svg,iframe,object,embed,canvas,video,audio,link,input,select,textarea,button,dialog,' +
  'math annotation,.mw-editsection,sup.reference,.navbox,.toc,#toc,[hidden],body title';
const HIDDEN_STYLE =
  /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden|opacity\s*:\s*0(?:\.0+)?\s*(?:;|!|$)|font-size\s*:\s*0)/i;

/**
 * Removes what a reader does not see: code, controls, hidden elements (also those that hide instructions from people),
 * pictures without a text. Makes links absolute; links within the page become
 * their text, links that run scripts go.
 */
export function cleanDocument(document: DomDocument, pageUrl: string): void {
  for (const element of [...document.querySelectorAll(DROPPED)]) element.remove();
  for (const element of [...document.querySelectorAll('[style]')])
    if (HIDDEN_STYLE.test(element.getAttribute('style') ?? '')) element.remove();
  for (const box of [...document.querySelectorAll('aside[class*="infobox"]')]) tabulate(box);
  for (const form of [...document.querySelectorAll('form')]) unwrap(form);
  const base = baseOf(document, pageUrl);
  for (const image of [...document.querySelectorAll('img,picture')]) replaceImage(image);
  for (const anchor of [...document.querySelectorAll('a')]) fixLink(anchor, base);
}

function baseOf(document: DomDocument, pageUrl: string): string {
  const declared = document.querySelector('base[href]')?.getAttribute('href');
  return declared && URL.canParse(declared, pageUrl) ? new URL(declared, pageUrl).href : pageUrl;
}

/** Flags and logos stand for a word where nothing else does; elsewhere a caption says enough. */
function replaceImage(image: DomElement): void {
  const alt = plain(image.getAttribute('alt'));
  const owner = image.closest('a,td,th,li');
  if (alt !== '' && alt.length < 200 && owner && plain(owner.textContent) === '') image.replaceWith(alt);
  else image.remove();
}

/** Fan wikis write their boxes of facts as pairs of blocks; as a table they survive and can be read. */
function tabulate(box: DomElement): void {
  const pairs = [...box.querySelectorAll('.pi-data')];
  if (pairs.length === 0) return;
  const table = box.ownerDocument.createElement('table');
  for (const pair of pairs) {
    const [label, ...values] = [...pair.children];
    if (!label) continue;
    const row = box.ownerDocument.createElement('tr');
    const head = box.ownerDocument.createElement('th');
    const cell = box.ownerDocument.createElement('td');
    head.append(...childrenOf(label));
    cell.append(...values);
    row.append(head, cell);
    table.append(row);
  }
  box.replaceWith(table);
}

function fixLink(anchor: DomElement, base: string): void {
  const href = anchor.getAttribute('href')?.trim() ?? '';
  if (/^javascript:/i.test(href)) return anchor.remove();
  const absolute = !href.startsWith('#') && URL.canParse(href, base) ? new URL(href, base) : undefined;
  if (
    href === '' ||
    !absolute ||
    !/^(https?|mailto):$/.test(absolute.protocol) ||
    plain(anchor.textContent) === ''
  )
    return unwrap(anchor);
  anchor.removeAttribute('title');
  // Parentheses would end a Markdown link too early.
  anchor.setAttribute('href', absolute.href.replaceAll('(', '%28').replaceAll(')', '%29'));
  for (const block of [...anchor.querySelectorAll('div,p,h1,h2,h3,h4,h5,h6')]) unwrap(block);
}
