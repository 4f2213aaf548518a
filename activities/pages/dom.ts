import { parseHTML } from 'linkedom';

/** The part of the DOM that we use; the compiler's own DOM types would leak browser globals into the server code. */
export interface DomNode {
  readonly nodeType: number;
  readonly nodeName: string;
  readonly firstChild: DomNode | null;
  readonly nextSibling: DomNode | null;
  readonly parentNode: DomElement | null;
  readonly ownerDocument: { createElement(name: string): DomElement };
  textContent: string | null;
}
export interface DomElement extends DomNode {
  readonly children: Iterable<DomElement> & { length: number };
  innerHTML: string;
  className: string;
  id: string;
  getAttribute(name: string): string | null;
  hasAttribute(name: string): boolean;
  removeAttribute(name: string): void;
  setAttribute(name: string, value: string): void;
  querySelector(selector: string): DomElement | null;
  querySelectorAll(selector: string): Iterable<DomElement> & { length: number };
  closest(selector: string): DomElement | null;
  contains(other: DomNode): boolean;
  append(...nodes: (DomNode | string)[]): void;
  remove(): void;
  replaceWith(...nodes: (DomNode | string)[]): void;
}
export interface DomDocument {
  readonly documentElement: DomElement | null;
  readonly body: DomElement;
  readonly title: string;
  createElement(name: string): DomElement;
  cloneNode(deep: boolean): DomDocument;
  querySelector(selector: string): DomElement | null;
  querySelectorAll(selector: string): Iterable<DomElement> & { length: number };
}

export const ELEMENT = 1;
export const TEXT = 3;

/** The document of a page; fragments and pages without `<html>` or `<body>` are completed as browsers do. */
export function parseDocument(html: string): DomDocument {
  const { document } = parseHTML(completed(html)) as unknown as { document: DomDocument };
  return document;
}

/** linkedom takes the first element for the root, whatever it is. */
function completed(html: string): string {
  const start = html.slice(0, 20_000);
  if (/<html[\s>]/i.test(start)) return html;
  const rest = html.replace(/^\s*(<\?xml[^<>]*>)?\s*(<!doctype[^<>]*>)?/i, '');
  return /<body[\s>]/i.test(start)
    ? `<!doctype html><html>${rest}</html>`
    : `<!doctype html><html><head></head><body>${rest}</body></html>`;
}

export const childrenOf = (node: DomNode): DomNode[] => {
  const found: DomNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) found.push(child);
  return found;
};

export const isElement = (node: DomNode): node is DomElement => node.nodeType === ELEMENT;

/** Puts an element's children where it stood. */
export const unwrap = (element: DomElement): void => element.replaceWith(...childrenOf(element));

/** Text with runs of white space as one space. */
export const plain = (text: string | null | undefined): string => (text ?? '').replace(/\s+/g, ' ').trim();
