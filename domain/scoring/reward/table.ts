import type { Table } from '../../run.ts';
import { normaliseHeader } from '../../tables/keys.ts';
import { fitColumns } from '../columns.ts';
import { joinTables } from '../join.ts';
import type { Asking } from '../judge/request.ts';
import type { ColumnPlan } from '../plan.ts';
import { scoreJoin } from '../verdicts.ts';

/** What a training rollout's table is compared with (wideseek 3.3). */
export interface TableLabel {
  gold: Table;
  uniqueColumns: readonly string[];
  /** Columns that are scored; all gold columns when empty or absent. */
  required?: readonly string[];
}

/**
 * Tri-state: a table that could not be judged is retried or left out of its group, never 0.
 * `itemF1` is in [0, 1] in default mode and may exceed 1 in reference mode.
 */
export type TableReward =
  | { kind: 'scored'; itemF1: number; formatOk: boolean; judgeIncomplete: boolean; notes: string[] }
  | { kind: 'unscored'; reason: string };

const badFormat = (note: string): TableReward => ({
  kind: 'scored',
  itemF1: 0,
  formatOk: false,
  judgeIncomplete: false,
  notes: [note],
});

/**
 * Item F1 of a training table with the repairs of section 8: one-to-one joins, equal texts right without a call
 * chunked calls, cells compared one by one as text, outages unscored, no key columns an
 * error in the data, missing columns wrong cells instead of bad format.
 */
export function* tableRewardSteps(label: TableLabel, prediction: Table | null): Asking<TableReward> {
  const columns = label.gold.columns.map(normaliseHeader);
  const required = label.required?.length ? label.required.map(normaliseHeader) : columns;
  const keys = label.uniqueColumns.map(normaliseHeader);
  const problem = labelProblem(columns, required, keys);
  if (problem !== null) return { kind: 'unscored', reason: problem };
  if (prediction === null || prediction.rows.length === 0)
    return badFormat('the answer holds no table with rows');
  const fit = yield* fitColumns(prediction, required, keys, true);
  if (fit.outage !== null) return { kind: 'unscored', reason: fit.outage };
  if (fit.table === null) return badFormat(fit.notes.join('; '));
  const plan = required.map((name): ColumnPlan => {
    const isKey = keys.includes(name);
    return {
      name,
      isKey,
      preprocess: isKey ? ['norm_str'] : [],
      metrics: ['llm_judge'],
      criterion: undefined,
      exactFirst: true,
    };
  });
  const positions = required.map((name) => columns.indexOf(name));
  const rows = label.gold.rows.map((row) => positions.map((index) => row[index] ?? ''));
  const joined = yield* joinTables(fit.table, { columns: required.slice(), rows }, plan);
  if (joined.outage !== null) return { kind: 'unscored', reason: joined.outage };
  const scored = yield* scoreJoin(joined, plan, fit.absent);
  if (scored.outage !== null) return { kind: 'unscored', reason: scored.outage };
  return {
    kind: 'scored',
    itemF1: scored.metrics.f1_by_item,
    formatOk: true,
    judgeIncomplete: fit.incomplete || joined.incomplete || scored.incomplete,
    notes: [...fit.notes, ...joined.notes],
  };
}

function labelProblem(columns: string[], required: string[], keys: string[]): string | null {
  if (keys.length === 0) return 'label: unique_columns is empty, rows cannot be joined';
  const strange = [...required, ...keys].find((name) => !columns.includes(name));
  if (strange !== undefined) return `label: column "${strange}" is not in the gold table`;
  const loose = keys.find((name) => !required.includes(name));
  return loose === undefined ? null : `label: key column "${loose}" is not required`;
}
