import { holds } from './conditions.ts';
import type { Condition } from './conditions.ts';
import { columnType } from './column-type.ts';
import { nameFit } from './name-fit.ts';
import { qualityColumn } from './find-values.ts';

/** One row on its way to the answer: cells by the column they were asked under. */
export interface Row {
  entity: string;
  cells: Map<string, string>;
}

/** The column under which a condition's evidence is fetched; null for conditions on the name alone. */
export function evidenceColumn(condition: Condition, columns: readonly string[]): string | null {
  if (condition.kind === 'name') return null;
  if (condition.kind === 'quality') return qualityColumn(condition.text);
  const type = columnType(condition.column);
  const same = columns.find((column) => nameFit(type.terms, condition.column, column) >= 0.75);
  return same ?? condition.column;
}

/** Asked columns plus those that conditions need. */
export function neededColumns(columns: readonly string[], conditions: readonly Condition[]): string[] {
  const needed = [...columns];
  for (const condition of conditions) {
    const column = evidenceColumn(condition, needed);
    if (column !== null && !needed.includes(column)) needed.push(column);
  }
  return needed;
}

/**
 * Rows that satisfy all conditions. A row without evidence is dropped where other rows have some; a condition that no row
 * has evidence for is given up and returned in `unchecked`.
 */
export function settle(
  rows: readonly Row[],
  conditions: readonly Condition[],
  columns: readonly string[],
): { rows: Row[]; unchecked: Condition[] } {
  const unchecked: Condition[] = [];
  let kept = [...rows];
  for (const condition of conditions) {
    const column = evidenceColumn(condition, neededColumns(columns, conditions));
    const verdicts = kept.map((row) =>
      holds(condition, row.entity, column === null ? '' : (row.cells.get(column) ?? '')),
    );
    const soft = condition.kind === 'quality' || condition.kind === 'relation';
    const useful = soft ? verdicts.includes(true) : verdicts.some((verdict) => verdict !== null);
    if (useful) kept = kept.filter((_, at) => verdicts[at] === true);
    else unchecked.push(condition);
  }
  return { rows: kept, unchecked };
}
