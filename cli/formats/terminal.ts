import type { Table } from '../../domain/run.ts';
import { displayWidth, printable, wrap } from './width.ts';

const GAP = '  ';
const NARROWEST = 4;

/** Column widths that fit: wide columns give way first, none below four columns. */
const widthsFor = (natural: readonly number[], total: number): number[] => {
  const widths = natural.map((width) => Math.max(1, width));
  const sum = (): number => widths.reduce((a, b) => a + b, 0) + GAP.length * Math.max(0, widths.length - 1);
  while (sum() > total) {
    const widest = Math.max(...widths);
    if (widest <= NARROWEST) break;
    const second = Math.max(NARROWEST, ...widths.filter((width) => width < widest));
    const many = widths.filter((width) => width === widest).length;
    const step = Math.max(1, Math.min(widest - second, Math.floor((sum() - total) / many)));
    let excess = sum() - total;
    for (const [at, width] of widths.entries()) {
      if (width !== widest || excess <= 0) continue;
      widths[at] = width - step;
      excess -= step;
    }
  }
  return widths;
};

const pad = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - displayWidth(text)));

/**
 * A table as text for a terminal of `width` columns: header, a rule, rows whose cells wrap. Full-width characters count two;
 * control characters are dropped. Narrower than four columns a column does not get, so a very wide table may stand over.
 */
export const terminalTable = (table: Table, width: number): string => {
  const natural = table.columns.map((column, at) =>
    Math.max(
      displayWidth(printable(column)),
      ...table.rows.map((row) => displayWidth(printable(row[at] ?? '').trim())),
    ),
  );
  const widths = widthsFor(natural, Math.max(1, width));
  const block = (row: readonly string[]): string[] => {
    const cells = widths.map((size, at) => wrap(row[at] ?? '', size));
    const height = Math.max(1, ...cells.map((lines) => lines.length));
    return Array.from({ length: height }, (_, line) =>
      widths
        .map((size, at) => pad(cells[at]?.[line] ?? '', size))
        .join(GAP)
        .trimEnd(),
    );
  };
  const rule = widths.map((size) => '─'.repeat(size)).join(GAP);
  return [...block(table.columns), rule, ...table.rows.flatMap(block)].join('\n');
};
