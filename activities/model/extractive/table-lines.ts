/** Header and rows of consecutive pipe lines; null where they hold no header with a rule below it. */
export function parseTableLines(lines: readonly string[]): { columns: string[]; rows: string[][] } | null {
  const cells = lines.map(splitRow);
  const rule = cells.findIndex(
    (row) => row.length > 0 && row.every((cell) => /^:?-{2,}:?$|^:?-:?$/.test(cell)),
  );
  if (rule < 1) return null;
  const columns = cells[rule - 1] ?? [];
  const rows = cells
    .slice(rule + 1)
    .filter((row) => row.some((cell) => cell !== ''))
    .map((row) => columns.map((_, at) => row[at] ?? ''));
  return { columns, rows };
}

function splitRow(line: string): string[] {
  return line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.replaceAll('\\|', '|').trim());
}
