import { childrenOf, type DomElement, type DomNode, isElement, plain, TEXT, unwrap } from './dom.ts';

/** Bounds of one expanded table: broken or hostile spans must not multiply cells. */
const MAX_COLUMNS = 100;
const MAX_CELLS = 200_000;

const BLOCKS = /^(P|DIV|LI|BR|UL|OL|DL|DT|DD|TR|TABLE|H[1-6]|BLOCKQUOTE|PRE|HR|SECTION|ARTICLE)$/;

/** A mark that stands for a table while the text around it is converted. */
const mark = (index: number): string => `\uE000${index}\uE001`;

/**
 * Whether a table holds data rather than layout: it has headings or a caption, or at least two rows and columns
 * of cells without tables inside.
 */
export function isDataTable(table: DomElement): boolean {
  const role = table.getAttribute('role');
  if (role === 'presentation' || role === 'none') return false;
  const rows = rowsOf(table);
  const headings = rows.flatMap(cellsOf).filter((cell) => cell.nodeName === 'TH').length;
  if (rows.length >= 2 && (headings >= 2 || table.querySelector('caption'))) return true;
  if (table.querySelector('table')) return false;
  const wide = rows.filter((row) => cellsOf(row).length >= 2).length;
  // Prose in cells is a page laid out with tables.
  const longest = Math.max(
    0,
    ...rows
      .slice(0, 50)
      .flatMap(cellsOf)
      .map((cell) => plain(cell.textContent).length),
  );
  return wide >= 2 && longest < 1_000;
}

/** Replaces the tables under `root` by marks and layout tables by their content; `restore` puts the Markdown in. */
export function extractTables(root: DomElement): (markdown: string) => string {
  const printed: string[] = [];
  const visit = (table: DomElement): void => {
    if (!table.parentNode) return;
    if (isDataTable(table)) {
      const paragraph = root.ownerDocument.createElement('p');
      paragraph.textContent = mark(printed.push(printTable(table)) - 1);
      table.replaceWith(paragraph);
      return;
    }
    const inner = outermost(table);
    for (const part of [...table.querySelectorAll('tr,td,th,caption')])
      if (part.closest('table') === table) part.setAttribute('data-layout', '');
    inner.forEach(visit);
    flatten(table);
  };
  outermost(root).forEach(visit);
  return (markdown) =>
    markdown.replace(/\uE000(\d+)\uE001/g, (whole, index: string) => printed[Number(index)] ?? whole);
}

const outermost = (root: DomElement): DomElement[] =>
  [...root.querySelectorAll('table')].filter((table) => {
    const outer = table.parentNode?.closest('table');
    return !outer || outer === root || !root.contains(outer);
  });

/** A layout table's cells become paragraphs in reading order. */
function flatten(table: DomElement): void {
  for (const cell of [...table.querySelectorAll('[data-layout]')]) {
    if (cell.nodeName === 'TR') continue;
    const block = table.ownerDocument.createElement('div');
    block.append(...childrenOf(cell));
    cell.replaceWith(block);
  }
  for (const part of [...table.querySelectorAll('tr,tbody,thead,tfoot,colgroup')]) unwrap(part);
  unwrap(table);
}

/** Rows of this table, not of tables inside it: head first, foot last. */
function rowsOf(table: DomElement): DomElement[] {
  const parts = childrenOf(table).filter(isElement);
  const of = (part: DomElement): DomElement[] =>
    childrenOf(part)
      .filter(isElement)
      .filter((row) => row.nodeName === 'TR');
  return parts.flatMap((part) =>
    part.nodeName === 'TR' ? [part] : /^(THEAD|TBODY|TFOOT)$/.test(part.nodeName) ? of(part) : [],
  );
}

const cellsOf = (row: DomElement): DomElement[] =>
  childrenOf(row)
    .filter(isElement)
    .filter((cell) => cell.nodeName === 'TD' || cell.nodeName === 'TH');

interface Cell {
  text: string;
  heading: boolean;
  /** Columns that the cell covers. */
  span: number;
}

/** The table as GFM: spans are expanded, several heading rows become one, a caption stands before it. */
export function printTable(table: DomElement): string {
  const rows = rowsOf(table);
  const { grid, width } = expand(rows);
  if (width === 0) return '';
  const headRows = headingRows(rows, grid, width);
  const head = Array.from({ length: width }, (_, column) => {
    const parts = grid.slice(0, headRows).map((row) => row[column]?.text ?? '');
    return [...new Set(parts.filter((part) => part !== ''))].join(' / ');
  });
  const body = grid.slice(headRows).map((row) => {
    // A cell over the whole width is a heading within the table, not a value of every column.
    const whole = row[0]?.span === width && width > 1;
    return Array.from({ length: width }, (_, column) =>
      whole && column > 0 ? '' : (row[column]?.text ?? ''),
    );
  });
  const filled = body.filter((row) => row.some((text) => text !== ''));
  const caption = plain(table.querySelector('caption')?.textContent);
  const lines = [head, head.map(() => '---'), ...filled].map((cells) => `| ${cells.join(' | ')} |`);
  return [...(caption === '' ? [] : [`${caption}\n`]), ...lines].join('\n');
}

/** Rows that are headings: those of `thead`, else the first rows made of `th` alone. */
function headingRows(
  rows: readonly DomElement[],
  grid: readonly (readonly (Cell | undefined)[])[],
  width: number,
): number {
  const inHead = rows.filter((row) => row.parentNode?.nodeName === 'THEAD').length;
  if (inHead > 0) return Math.min(inHead, grid.length);
  let count = 0;
  for (const row of grid) {
    const cells = row.filter((cell) => cell !== undefined);
    const title = cells.length > 0 && cells[0]?.span === width && width > 1;
    if (cells.length === 0 || title || !cells.every((cell) => cell.heading)) break;
    count++;
  }
  return count === grid.length ? Math.min(1, count) : count;
}

function expand(rows: readonly DomElement[]): { grid: (Cell | undefined)[][]; width: number } {
  const grid: (Cell | undefined)[][] = rows.map(() => []);
  let width = 0;
  let total = 0;
  rows.forEach((row, top) => {
    let column = 0;
    for (const element of cellsOf(row)) {
      while (grid[top]?.[column]) column++;
      const span = spanOf(element, 'colspan', MAX_COLUMNS - column);
      if (span < 1) break;
      const depth = spanOf(element, 'rowspan', rows.length - top);
      const text = cellText(element);
      for (let down = 0; down < depth && total < MAX_CELLS; down++)
        for (let right = 0; right < span; right++, total++) {
          const line = grid[top + down];
          if (line && !line[column + right])
            line[column + right] = { text, heading: element.nodeName === 'TH', span };
        }
      column += span;
      width = Math.max(width, column);
    }
  });
  return { grid, width };
}

/** `rowspan="0"` means "to the end"; nonsense means 1. */
function spanOf(cell: DomElement, name: string, most: number): number {
  const value = Number.parseInt(cell.getAttribute(name) ?? '1', 10);
  const wanted = value === 0 && name === 'rowspan' ? most : value >= 1 ? value : 1;
  return Math.min(wanted, most);
}

/** One line: blocks and line breaks are separated by `; `, links are kept, `|` is escaped. */
export function cellText(cell: DomElement): string {
  const parts: string[] = [''];
  const add = (text: string): void => {
    parts[parts.length - 1] += text;
  };
  const walk = (node: DomNode): void => {
    if (node.nodeType === TEXT) return add(node.textContent ?? '');
    if (!isElement(node)) return;
    const block = BLOCKS.test(node.nodeName);
    if (block) parts.push('');
    const href = node.nodeName === 'A' ? node.getAttribute('href') : null;
    const text = href ? plain(node.textContent) : '';
    if (href && text !== '') add(`[${text}](${href})`);
    else childrenOf(node).forEach(walk);
    if (node.nodeName === 'TD' || node.nodeName === 'TH') add(' ');
    if (block) parts.push('');
  };
  childrenOf(cell).forEach(walk);
  return parts
    .map(plain)
    .filter((part) => part !== '')
    .join('; ')
    .replaceAll('|', '\\|');
}
