import gfmPlugin from '@joplin/turndown-plugin-gfm';
import Turndown from 'turndown';
import { childrenOf, type DomElement, type DomNode, isElement } from './dom.ts';
import { extractTables } from './tables.ts';

/** Siblings converted together: the converter's time grows with the square of their number. */
const GROUP = 60;
const CONTAINERS = /^(DIV|SECTION|ARTICLE|MAIN|BODY)$/;
const BLOCKS = /^(P|H[1-6]|UL|OL|DL|DIV|SECTION|BLOCKQUOTE|PRE)$/;

function createConverter(): Turndown {
  const service = new Turndown({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    hr: '---',
    br: '',
  });
  service.use([gfmPlugin.strikethrough, gfmPlugin.highlightedCodeBlock]);
  // The reader is a model that quotes: emphasis and escapes would make its quotes differ from the page.
  service.escape = (text) => text;
  service.addRule('emphasis', { filter: ['strong', 'b', 'em', 'i'], replacement: (content) => content });
  service.addRule('term', { filter: ['dt'], replacement: (content) => `\n- ${content.trim()}: ` });
  service.addRule('definition', {
    filter: ['dd'],
    replacement: (content, node) => {
      const more = (node as unknown as { nextElementSibling: DomElement | null }).nextElementSibling;
      return content.trim().replace(/\s*\n\s*/g, ' ') + (more?.nodeName === 'DD' ? '; ' : '');
    },
  });
  return service;
}

const converter = createConverter();

/** The Markdown of an element: headings, lists, links, code, and data tables as GFM tables. Changes `root`. */
export function toMarkdown(root: DomElement): string {
  const restore = extractTables(root);
  return tidy(restore(convert(root).join('\n\n')));
}

/** Nodes under an element at which it is converted part by part. */
const LARGE = 400;

function convert(root: DomElement, sizes = measure(root)): string[] {
  const children = childrenOf(root);
  const large = (node: DomNode): node is DomElement =>
    isElement(node) && CONTAINERS.test(node.nodeName) && (sizes.get(node) ?? 0) > LARGE;
  if (children.length <= GROUP && !children.some(large)) return [run(root)];
  const parts: string[] = [];
  let group: DomNode[] = [];
  const flush = (): void => {
    if (group.length === 0) return;
    const box = root.ownerDocument.createElement('div');
    box.append(...group);
    parts.push(run(box));
    group = [];
  };
  for (const child of children) {
    if (large(child)) {
      flush();
      parts.push(...convert(child, sizes));
      continue;
    }
    group.push(child);
    // Text and inline elements belong to the paragraph of their neighbours.
    if (group.length >= GROUP && BLOCKS.test(child.nodeName)) flush();
  }
  flush();
  return parts;
}

/** Number of nodes under each container, in one pass. */
function measure(root: DomElement): Map<DomNode, number> {
  const sizes = new Map<DomNode, number>();
  const visit = (node: DomNode): number => {
    let size = 1;
    for (let child = node.firstChild; child; child = child.nextSibling) size += visit(child);
    if (CONTAINERS.test(node.nodeName)) sizes.set(node, size);
    return size;
  };
  visit(root);
  return sizes;
}

const run = (element: DomElement): string => converter.turndown(element);

/** No trailing spaces, at most one empty line in a row. */
const tidy = (markdown: string): string =>
  markdown
    .split('\n')
    .map((line) => line.trimEnd().replace(/^(\s*)(-|\d+\.) {2,}/, '$1$2 '))
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
