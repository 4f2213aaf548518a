import type { Table } from '../../run.ts';
import { tupleKey } from '../../tables/keys.ts';
import type { Evaluation } from '../evaluation.ts';
import { emptyEvaluation, zeroMetrics } from '../evaluation.ts';
import type { Asking } from '../judge/request.ts';
import type { EvalRecord, PipelineStep } from '../record.ts';
import { extractReference } from './extract.ts';
import { readFrame } from './frame.ts';
import { askReference, scoreReference } from './score.ts';
import { REFERENCE_PREPROCESS } from './metrics.ts';
import { normColumn, raise } from './text.ts';

/**
 * The published evaluator with its defects (sections 3 to 10 as REF), for comparing with published numbers. An error
 * inside it is seven zeros there; here the status says `internal_error` beside them.
 */
export function* referenceSteps(
  record: EvalRecord,
  goldCsv: string,
  response: string | null,
): Asking<Evaluation> {
  const { required } = record.evaluation;
  const gold = loadGold(goldCsv, required);
  if (typeof gold === 'string') return emptyEvaluation('config_error', [gold]);
  if (response === null) return emptyEvaluation('no_response', []);
  try {
    return yield* evaluateAnswer(record, gold, response);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { ...emptyEvaluation('internal_error', [message]), metrics: zeroMetrics() };
  }
}

function loadGold(csv: string, required: readonly string[]): Table | string {
  try {
    const frame = readFrame(csv, ',');
    const table = { columns: frame.columns.map(normColumn), rows: frame.rows };
    const missing = required.filter((name) => !table.columns.includes(name));
    return missing.length > 0
      ? `gold CSV lacks required column "${missing.join('", "')}"`
      : select(table, required);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function select(table: Table, columns: readonly string[]): Table {
  const positions = columns.map((name) => table.columns.indexOf(name));
  return { columns: [...columns], rows: table.rows.map((row) => positions.map((index) => row[index] ?? '')) };
}

function* evaluateAnswer(record: EvalRecord, gold: Table, response: string): Asking<Evaluation> {
  const { required, unique_columns: keys, eval_pipeline: pipeline } = record.evaluation;
  const found = extractReference(response);
  if (found === null) return emptyEvaluation('no_table', []);
  let answer: Table = { columns: found.columns.map(normColumn), rows: found.rows };
  if (!sameSet(answer.columns, required)) {
    const map = yield* askReference('align:columns', answer.columns, required);
    answer = { ...answer, columns: answer.columns.map((name) => mapped(map, name)) };
  }
  if (!sameSet(answer.columns, required)) {
    return emptyEvaluation('column_mismatch', [`columns of the answer: ${answer.columns.join(', ')}`]);
  }
  if (answer.columns.length !== required.length) raise('AttributeError', 'a column name occurs twice');

  const stray = keys.find((key) => !required.includes(key));
  if (stray !== undefined) raise('KeyError', stray);
  if (keys.length === 0) raise('ValueError', 'no key columns to join on');
  answer = dropDuplicates(answer, keys);
  const truth = dropDuplicates(gold, keys);
  let aligned = false;
  for (const key of keys) {
    const metrics = pipeline[key]?.metric ?? [];
    if (!metrics.includes('exact_match') && !metrics.includes('llm_judge')) continue;
    const map = yield* askReference(`align:key:${key}`, columnOf(answer, key), columnOf(truth, key));
    answer = changeColumn(answer, key, (cell) => mapped(map, cell));
    aligned = true;
  }
  const left = preprocessAll(answer, pipeline);
  const right = preprocessAll(truth, pipeline);
  return yield* scoreReference(record, left, right, !aligned && sameFrame(left, right));
}

function preprocessAll(table: Table, pipeline: Record<string, PipelineStep>): Table {
  let current = table;
  for (const [column, step] of Object.entries(pipeline)) {
    if (!table.columns.includes(column)) raise('KeyError', column);
    for (const name of step.preprocess) {
      const change = REFERENCE_PREPROCESS.get(name) ?? raise('AssertionError', `unknown preprocess ${name}`);
      current = changeColumn(current, column, change);
    }
  }
  return current;
}

const mapped = (map: Record<string, unknown>, text: string): string =>
  Object.hasOwn(map, text) ? String(map[text]) : text;

function sameSet(left: readonly string[], right: readonly string[]): boolean {
  const [a, b] = [new Set(left), new Set(right)];
  return a.size === b.size && [...a].every((name) => b.has(name));
}

const columnOf = (table: Table, name: string): string[] => {
  const index = table.columns.indexOf(name);
  return table.rows.map((row) => row[index] ?? '');
};

function changeColumn(table: Table, name: string, change: (cell: string) => string): Table {
  const index = table.columns.indexOf(name);
  return {
    ...table,
    rows: table.rows.map((row) => row.map((cell, at) => (at === index ? change(cell) : cell))),
  };
}

function dropDuplicates(table: Table, keys: readonly string[]): Table {
  const positions = keys.map((key) => table.columns.indexOf(key));
  const seen = new Set<string>();
  const rows = table.rows.filter((row) => {
    const key = tupleKey(positions.map((index) => row[index] ?? ''));
    return !seen.has(key) && seen.add(key);
  });
  return { ...table, rows };
}

/** The older success path of section 10: equal frames after sorting, columns in the same order. */
function sameFrame(left: Table, right: Table): boolean {
  const sorted = (table: Table): string => JSON.stringify(table.rows.map(tupleKey).sort());
  return tupleKey(left.columns) === tupleKey(right.columns) && sorted(left) === sorted(right);
}
