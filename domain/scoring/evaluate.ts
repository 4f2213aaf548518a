import { normaliseHeader } from '../tables/keys.ts';
import { extractTable } from '../tables/markdown.ts';
import { fitColumns } from './columns.ts';
import type { Evaluation } from './evaluation.ts';
import { emptyEvaluation } from './evaluation.ts';
import { readGold } from './gold.ts';
import { joinTables } from './join.ts';
import { driveJudge } from './judge/request.ts';
import type { Asking, Judge, Judgement } from './judge/request.ts';
import type { EvalRecord } from './record.ts';
import { checkRecord } from './record.ts';
import { planColumns } from './plan.ts';
import { referenceSteps } from './reference/evaluate.ts';
import { scoreJoin } from './verdicts.ts';

export interface EvaluateOptions {
  /** FIX-3: drop surplus columns and score missing non-key columns as wrong cells instead of scoring the table 0. */
  lenientColumns?: boolean;
  /**
   * What a judge that could not be reached means. `fail` (default): status `judge_failed` and no numbers.
   * `fallback`: text equality and `judgeIncomplete`. Unreadable replies always fall back.
   */
  onOutage?: 'fail' | 'fallback';
}

/**
 * The default evaluator (FIX-1 to FIX-24) as a pure conversation: yields judge requests, returns the evaluation.
 * Never throws; linear in the number of rows apart from the alignment of keys that do not match as text.
 */
export function* evaluateSteps(
  record: EvalRecord,
  goldCsv: string,
  response: string | null,
  options: EvaluateOptions = {},
): Asking<Evaluation> {
  try {
    return yield* evaluateOrThrow(record, goldCsv, response, options);
  } catch (error) {
    return emptyEvaluation('internal_error', [error instanceof Error ? error.message : String(error)]);
  }
}

function* evaluateOrThrow(
  record: EvalRecord,
  goldCsv: string,
  response: string | null,
  options: EvaluateOptions,
): Asking<Evaluation> {
  const { errors, warnings } = checkRecord(record);
  const required = record.evaluation.required.map(normaliseHeader);
  const keys = record.evaluation.unique_columns.map(normaliseHeader);
  const gold = readGold(goldCsv, required);
  if ('problem' in gold) errors.push(gold.problem);
  if (errors.length > 0 || 'problem' in gold)
    return emptyEvaluation('config_error', [...errors, ...warnings]);
  if (response === null || response.trim() === '') return emptyEvaluation('no_response', warnings);
  const answer = extractTable(response, required, { cells: 'literal' });
  if (answer === null) return emptyEvaluation('no_table', warnings);

  const failing = (outage: string | null): outage is string =>
    outage !== null && options.onOutage !== 'fallback';
  const fit = yield* fitColumns(answer, required, keys, options.lenientColumns ?? false);
  const notes = [...warnings, ...fit.notes];
  if (failing(fit.outage)) return emptyEvaluation('judge_failed', [...notes, fit.outage]);
  if (fit.table === null) {
    return { ...emptyEvaluation('column_mismatch', notes), judgeIncomplete: fit.incomplete };
  }
  const plan = planColumns(record, required, keys);
  const joined = yield* joinTables(fit.table, gold.table, plan);
  if (failing(joined.outage)) return emptyEvaluation('judge_failed', [...notes, joined.outage]);
  const scored = yield* scoreJoin(joined, plan, fit.absent);
  if (failing(scored.outage)) return emptyEvaluation('judge_failed', [...notes, scored.outage]);
  return {
    status: 'ok',
    metrics: scored.metrics,
    rows: { answer: joined.answerRows, gold: joined.goldRows, joined: joined.pairs.length },
    cells: scored.cells,
    missingRows: joined.missing,
    surplusRows: joined.surplus,
    judgeIncomplete: fit.incomplete || joined.incomplete || scored.incomplete,
    diagnostics: [...notes, ...joined.notes],
  };
}

/** An evaluation with the conversation that produced it, for the per-cell report and for rescoring without calls. */
export interface JudgedEvaluation extends Evaluation {
  judgements: Judgement[];
}

/**
 * Scores one answer against gold. `judge` is asked in batches that may run in parallel; pass `replayJudge` to rescore
 * stored judgements. `compat: 'reference'` gives the published evaluator's numbers, defects included.
 */
export async function evaluateTable(
  record: EvalRecord,
  goldCsv: string,
  response: string | null,
  judge: Judge,
  options: EvaluateOptions & { compat?: 'default' | 'reference' } = {},
): Promise<JudgedEvaluation> {
  const steps =
    options.compat === 'reference'
      ? referenceSteps(record, goldCsv, response)
      : evaluateSteps(record, goldCsv, response, options);
  const { result, judgements } = await driveJudge(steps, judge);
  return { ...result, judgements };
}
