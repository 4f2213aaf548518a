import type { Condition } from './conditions.ts';
import { holds } from './conditions.ts';
import { findList } from './find-list.ts';
import { detailOf, findValues } from './find-values.ts';
import { done } from './memory.ts';
import type { Budget, Memory, Next } from './memory.ts';
import type { Entry } from './list-entries.ts';
import type { Ranker } from './ranker.ts';
import { resolvePhrase } from './resolve.ts';
import { evidenceColumn, neededColumns, settle } from './settle.ts';
import type { Row } from './settle.ts';
import { formatCell } from './values-format.ts';

export interface Members {
  rows: Row[];
  conditions: Condition[];
  urls: string[];
}

/** The members of a class with what the list pages already say; conditions that they settle are applied. */
export async function findMembers(
  goal: { classPhrase: string; noun: string; columns: readonly string[] },
  memory: Memory,
  budget: Budget,
  ranker: Ranker,
): Promise<Next<Members>> {
  const resolved = await resolvePhrase(goal.classPhrase, memory, budget, ranker);
  if (resolved.kind !== 'done') return resolved;
  const found = await findList({ classPhrase: resolved.result, noun: goal.noun }, memory, budget, ranker);
  if (found.kind !== 'done') return found;
  const { entries, conditions, urls } = found.result;
  const wanted = neededColumns(goal.columns, conditions);
  const rows = entries.map((entry) => ({ entity: entry.name, cells: cellsOf(entry, wanted) }));
  const settled = applyEarly(rows, conditions, goal.columns);
  return done({ ...settled, urls });
}

function cellsOf(entry: Entry, columns: readonly string[]): Map<string, string> {
  return new Map(
    columns.flatMap((column) => {
      const value = formatCell(detailOf(entry, column), column);
      return value === '' ? [] : [[column, value] as const];
    }),
  );
}

/** Conditions on names, and those for which every row has evidence, are settled before attributes are fetched. */
function applyEarly(
  rows: Row[],
  conditions: readonly Condition[],
  columns: readonly string[],
): { rows: Row[]; conditions: Condition[] } {
  let kept = rows;
  const open: Condition[] = [];
  for (const condition of conditions) {
    const column = evidenceColumn(condition, neededColumns(columns, conditions));
    const verdicts = kept.map((row) =>
      holds(condition, row.entity, column === null ? '' : (row.cells.get(column) ?? '')),
    );
    if (verdicts.length > 0 && verdicts.every((verdict) => verdict !== null))
      kept = kept.filter((_, at) => verdicts[at] === true);
    else open.push(condition);
  }
  return { rows: kept, conditions: open };
}

/** One agent's whole way to a table: members, their attributes, conditions. */
export async function answerWide(
  goal: { classPhrase: string; noun: string; columns: readonly string[] },
  memory: Memory,
  budget: Budget,
  ranker: Ranker,
): Promise<Next<{ rows: Row[]; unchecked: Condition[] }>> {
  const members = await findMembers(goal, memory, budget, ranker);
  if (members.kind !== 'done') return members;
  const { rows, conditions } = members.result;
  const needed = neededColumns(goal.columns, conditions);
  const lacking = needed.filter((column) => rows.some((row) => !row.cells.has(column)));
  if (rows.length === 0 || lacking.length === 0) return done(settle(rows, conditions, goal.columns));
  const values = await findValues(
    { entities: rows.map(({ entity }) => entity), noun: goal.noun, columns: lacking },
    memory,
    budget,
    ranker,
  );
  if (values.kind !== 'done') return values;
  values.result.forEach(({ cells }, at) => {
    cells.forEach((cell, index) => {
      const column = lacking[index];
      if (cell && column !== undefined && !rows[at]?.cells.has(column))
        rows[at]?.cells.set(column, formatCell(cell.value, column));
    });
  });
  return done(settle(rows, conditions, goal.columns));
}
