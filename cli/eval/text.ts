import type { Estimate } from '../../domain/scoring/bootstrap.ts';
import type { Output } from '../io.ts';
import { displayWidth, printable } from '../formats/width.ts';

export const percent = (value: number | null | undefined): string =>
  value == null ? '–' : (value * 100).toFixed(1);
/** `12.3 (10.1 to 14.2)`, in percent. */
export const percentRange = ({ mean, low, high }: Estimate): string =>
  `${percent(mean)} (${percent(low)} to ${percent(high)})`;

/** Columns of text, the first to the left and the others to the right. */
export const columns = (rows: readonly (readonly string[])[]): string => {
  const clean = rows.map((row) => row.map(printable));
  const widths = (clean[0] ?? []).map((_, column) =>
    Math.max(0, ...clean.map((row) => displayWidth(row[column] ?? ''))),
  );
  const cell = (text: string, column: number): string => {
    const space = ' '.repeat(Math.max(0, (widths[column] ?? 0) - displayWidth(text)));
    return column === 0 ? text + space : space + text;
  };
  return clean.map((row) => row.map(cell).join('  ').trimEnd()).join('\n');
};

/** Width for texts that may be cut: the terminal's, or as good as none. */
export const widthOf = (out: Output): number => (out.isTTY ? out.columns : 1_000);
