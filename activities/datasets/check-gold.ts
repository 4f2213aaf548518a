import { readGold } from '../../domain/scoring/gold.ts';
import { toCell } from '../../domain/scoring/missing.ts';
import { planColumns } from '../../domain/scoring/plan.ts';
import { preprocessCell } from '../../domain/scoring/preprocess.ts';
import { checkRecord, type EvalRecord } from '../../domain/scoring/record.ts';
import { normaliseHeader, tupleKey } from '../../domain/tables/keys.ts';

/** How many pairs of colliding rows are named; the rest is counted. */
const NAMED = 5;

/**
 * FIX-9: everything that makes a table question impossible or doubtful to score. Problems exclude it: unknown functions,
 * keys that are not required, columns that gold lacks, an empty gold table, rows whose keys are equal after
 * preprocessing while their other cells differ. Warnings are repaired when scoring.
 */
export function checkTable(record: EvalRecord, goldCsv: string): { problems: string[]; warnings: string[] } {
  const { errors, warnings } = checkRecord(record);
  const required = record.evaluation.required.map(normaliseHeader);
  const gold = readGold(goldCsv, required);
  if ('problem' in gold) return { problems: [...errors, gold.problem], warnings };
  if (gold.table.rows.length === 0) errors.push('gold CSV: has no rows');
  if (errors.length > 0) return { problems: errors, warnings };

  const keys = record.evaluation.unique_columns.map(normaliseHeader);
  const plan = planColumns(record, required, keys);
  const seen = new Map<string, { row: number; text: string }>();
  const clashes: string[] = [];
  for (const [index, row] of gold.table.rows.entries()) {
    const cells = row.map((cell, at) => {
      const column = plan[at];
      return column === undefined ? cell : preprocessCell(toCell(cell, column.isKey), column.preprocess);
    });
    const key = plan.flatMap((column, at) => (column.isKey ? [cells[at] ?? ''] : []));
    const text = JSON.stringify(row);
    const earlier = seen.get(tupleKey(key));
    if (earlier === undefined) seen.set(tupleKey(key), { row: index + 1, text });
    else if (earlier.text === text)
      warnings.push(`gold CSV: data rows ${earlier.row} and ${index + 1} are equal`);
    else
      clashes.push(
        `gold CSV: data rows ${earlier.row} and ${index + 1} have the same key ${key.join(' | ')} after preprocessing`,
      );
  }
  const rest = clashes.length - NAMED;
  return {
    problems: [...clashes.slice(0, NAMED), ...(rest > 0 ? [`gold CSV: ${rest} further rows collide`] : [])],
    warnings,
  };
}
