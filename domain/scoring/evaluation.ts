/** The seven numbers of WideSearch, under the names its result files use. All lie in [0, 1] in default mode. */
export interface Metrics {
  /** Success: 1 where all six others are exactly 1. */
  score: number;
  precision_by_row: number;
  recall_by_row: number;
  f1_by_row: number;
  precision_by_item: number;
  recall_by_item: number;
  f1_by_item: number;
}

export const METRIC_NAMES = [
  'score',
  'precision_by_row',
  'recall_by_row',
  'f1_by_row',
  'precision_by_item',
  'recall_by_item',
  'f1_by_item',
] as const satisfies readonly (keyof Metrics)[];

/**
 * FIX-21. The first four carry numbers; the others carry none, because a broken record, a judge that could not be
 * reached and our own fault say nothing about the answer.
 */
export const EVALUATION_STATUSES = [
  'ok',
  'no_response',
  'no_table',
  'column_mismatch',
  'config_error',
  'judge_failed',
  'internal_error',
] as const;
export type EvaluationStatus = (typeof EVALUATION_STATUSES)[number];

/** FIX-24: why one cell of a joined row got its score. */
export interface CellVerdict {
  /** Key of the row as joined. */
  key: string[];
  column: string;
  /** Both texts as the metric saw them; null is a missing cell. */
  response: string | null;
  target: string | null;
  score: number;
  reason: string;
}

export interface Evaluation {
  status: EvaluationStatus;
  metrics: Metrics | null;
  /** Rows of both sides after de-duplication, and how many of them joined. */
  rows: { answer: number; gold: number; joined: number };
  /** Non-key cells of joined rows, in gold order. */
  cells: CellVerdict[];
  /** Keys of gold rows that the answer lacks and of answer rows that gold lacks. */
  missingRows: string[][];
  surplusRows: string[][];
  /** FIX-13, FIX-18: some alignment or verdict fell back to text equality. */
  judgeIncomplete: boolean;
  /** What the reader should know, one line each: dropped columns, guards that fired, the error. */
  diagnostics: string[];
}

/** An evaluation that never reached the rows. `zeros` only for the statuses that carry numbers. */
export function emptyEvaluation(status: EvaluationStatus, diagnostics: string[]): Evaluation {
  const carriesNumbers =
    status === 'ok' || status === 'no_response' || status === 'no_table' || status === 'column_mismatch';
  return {
    status,
    metrics: carriesNumbers ? zeroMetrics() : null,
    rows: { answer: 0, gold: 0, joined: 0 },
    cells: [],
    missingRows: [],
    surplusRows: [],
    judgeIncomplete: false,
    diagnostics,
  };
}

/** Seven zeros: the numbers of an answer that holds nothing. */
export const zeroMetrics = (): Metrics => tally({ rowHits: 0, itemHits: 0, answer: 0, gold: 0, columns: 1 });

/**
 * Numbers from counts (section 10): row hits over rows, item hits over rows × required columns, each 0 where its
 * denominator is 0; F1 is 0 where precision + recall ≤ 1e-9.
 */
export function tally(counts: {
  rowHits: number;
  itemHits: number;
  answer: number;
  gold: number;
  columns: number;
}): Metrics {
  const ratio = (hits: number, of: number): number => (of === 0 ? 0 : hits / of);
  const precisionRow = ratio(counts.rowHits, counts.answer);
  const recallRow = ratio(counts.rowHits, counts.gold);
  const precisionItem = ratio(counts.itemHits, counts.answer * counts.columns);
  const recallItem = ratio(counts.itemHits, counts.gold * counts.columns);
  const six = [
    precisionRow,
    recallRow,
    f1(precisionRow, recallRow),
    precisionItem,
    recallItem,
    f1(precisionItem, recallItem),
  ] as const;
  return {
    score: six.every((value) => value === 1) ? 1 : 0,
    precision_by_row: six[0],
    recall_by_row: six[1],
    f1_by_row: six[2],
    precision_by_item: six[3],
    recall_by_item: six[4],
    f1_by_item: six[5],
  };
}

/** Harmonic mean, 0 where precision + recall ≤ 1e-9. */
export const f1 = (precision: number, recall: number): number =>
  precision + recall > 1e-9 ? (2 * precision * recall) / (precision + recall) : 0;
