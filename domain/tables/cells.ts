/**
 * One table cell as it stands between two pipes. `print` and `parse` are inverse for trimmed cells:
 * a pipe is `\|`, a line break `<br>`, a literal `<br>` is `\<br>`, a backslash is doubled only where it
 * would otherwise escape something, and a cell wrapped in double quotes is quoted once more as in CSV.
 */
const LINE_BREAK = /<br\s*\/?>/gi;

/** Text of a cell for a Markdown row; the cell is trimmed. */
export function printCell(cell: string): string {
  const text = cell.trim().replace(/\r\n?/g, '\n');
  const quoted = unquoteCell(text) === text ? text : `"${text.replaceAll('"', '""')}"`;
  return quoted
    .replace(/\\(?=[\\|<\n])/g, '\\\\')
    .replaceAll('|', '\\|')
    .replace(LINE_BREAK, '\\$&')
    .replaceAll('\n', '<br>');
}

/** Inverse of `printCell`. */
export function parseCell(raw: string): string {
  const text = raw
    .trim()
    .replace(/\\([\\|<])|<br\s*\/?>/gi, (_match, escaped: string | undefined) => escaped ?? '\n');
  return unquoteCell(text);
}

/** FIX-8: only `\|` is an escape and `<br>` stays text; a balanced pair of quotes around the cell goes. */
export const literalCell = (raw: string): string => unquoteCell(raw.trim().replaceAll('\\|', '|'));

/** A cell that is one CSV-quoted field loses the quotes; every other quote is literal. */
function unquoteCell(text: string): string {
  if (text.length < 2 || !text.startsWith('"') || !text.endsWith('"')) return text;
  const inner = text.slice(1, -1);
  if (inner.replaceAll('""', '').includes('"')) return text;
  return inner.replaceAll('""', '"').trim();
}

/** Raw cells of a line: outer pipes are optional, an escaped pipe does not split. Empty for a line without a pipe. */
export function splitRow(line: string): string[] {
  const trimmed = line.trim();
  const cells: string[] = [];
  let start = 0;
  for (let index = 0; index < trimmed.length; index += 1) {
    const char = trimmed[index];
    if (char === '\\') index += 1;
    else if (char === '|') {
      cells.push(trimmed.slice(start, index));
      start = index + 1;
    }
  }
  if (cells.length === 0) return [];
  cells.push(trimmed.slice(start));
  if (cells[0] === '') cells.shift();
  if (cells.length > 0 && cells[cells.length - 1] === '') cells.pop();
  return cells;
}

/** `| :--- | ---: |` and its variants. */
export function isDelimiterRow(cells: readonly string[]): boolean {
  return cells.length > 0 && cells.every((cell) => /^:?-+:?$/.test(cell.trim()));
}
