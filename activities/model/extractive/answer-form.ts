import type { Table } from '../../../domain/run.ts';
import { printMarkdown } from '../../../domain/tables/markdown.ts';
import type { WideQuestion } from './parse-question.ts';

/** A final table in the form the prompts ask for. */
export const fencedTable = (table: Table): string => ['```markdown', printMarkdown(table), '```'].join('\n');

export const boxed = (answer: string): string => `\\boxed{${answer.replace(/[{}]/g, '')}}`;

/** Four characters a token, two for a script without spaces: enough to know whether a table fits. */
export const fitsInto = (text: string, maxTokens: number): boolean => {
  const han = text.match(/[\u2e80-\u9fff]/g)?.length ?? 0;
  return (text.length - han) / 3 + han < maxTokens;
};

/**
 * The answer table: columns as the question wants them, one row per entity; a question whose key has a second column
 * gets one row per value of that column.
 */
export function answerTable(
  question: WideQuestion,
  rows: readonly { entity: string; cells: ReadonlyMap<string, string> }[],
): Table {
  const columns = question.header;
  const printed = rows.flatMap(({ entity, cells }) => {
    const row = columns.map((column) => (column === question.keyColumn ? entity : (cells.get(column) ?? '')));
    return spread(row, columns.indexOf(question.spreadColumn ?? ''));
  });
  return { columns, rows: printed };
}

function spread(row: string[], at: number): string[][] {
  if (at < 0) return [row];
  const values = (row[at] ?? '')
    .split(/\s*[,;、，；]\s*(?:and\s+)?|\s+and\s+|和|及/u)
    .filter((value) => value !== '');
  return values.length < 2
    ? [row]
    : values.map((value) => row.map((cell, index) => (index === at ? value : cell)));
}
