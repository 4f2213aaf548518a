import type { Table } from '../../run.ts';
import { tupleKey } from '../../tables/keys.ts';
import { tally } from '../evaluation.ts';
import { DEFAULT_CRITERION } from '../judge/prompts.ts';
import { parseFencedJson } from '../judge/reply.ts';
import type { Asking, JudgeReply, JudgeRequest } from '../judge/request.ts';
import { parseFloatStrict } from '../numbers.ts';
import type { TableLabel, TableReward } from './table.ts';

export interface ReferenceRewardOptions {
  /** Column names also lose their spaces, as the WideSearch evaluation sets it. */
  normColumn?: boolean;
}

const bad = (note: string): TableReward => ({
  kind: 'scored',
  itemF1: 0,
  formatOk: false,
  judgeIncomplete: false,
  notes: [note],
});

/**
 * The published training reward with its defects (wideseek 3.3): whole-column numeric rewriting, unguarded key maps that
 * join twice, silent zeros for a judge that fails, bad format for every internal error. For comparison only.
 */
export function* referenceTableRewardSteps(
  label: TableLabel,
  prediction: Table | null,
  options: ReferenceRewardOptions = {},
): Asking<TableReward> {
  const fold = (name: string): string => {
    const folded = name.trim().toLowerCase();
    return options.normColumn === true ? folded.replaceAll(' ', '') : folded;
  };
  if (prediction === null || prediction.rows.length === 0) return bad('no table');
  const keys = label.uniqueColumns.map(fold);
  const goldColumns = label.gold.columns.map(fold);
  const required = label.required?.length ? label.required.map(fold) : goldColumns;
  let columns = prediction.columns.map(fold);
  if (required.some((name) => !columns.includes(name))) {
    const map = yield* askMap({
      kind: 'align',
      scope: 'align:columns',
      vocabulary: columns,
      reference: required,
      attempt: 0,
    });
    columns = columns.map((name) => mapped(map, name));
  }
  if (required.some((name) => !columns.includes(name))) return bad('columns do not match');
  if (keys.length === 0 || keys.some((key) => !required.includes(key))) return bad('no key columns');

  const gold = dropDuplicates(select(label.gold.rows, goldColumns, required), required, keys);
  let answer = dropDuplicates(select(prediction.rows, columns, required), required, keys);
  for (const key of keys) {
    const index = required.indexOf(key);
    const cells = (rows: string[][]): string[] => rows.map((row) => row[index] ?? '');
    const request: JudgeRequest = {
      kind: 'align',
      scope: `align:key:${key}`,
      vocabulary: cells(answer),
      reference: cells(gold),
      attempt: 0,
    };
    const map = yield* askMap(request);
    answer = answer.map((row) => row.map((cell, at) => (at === index ? mapped(map, cell) : cell)));
  }
  const pairs = join(
    answer,
    gold,
    keys.map((key) => required.indexOf(key)),
  );
  const judged = required.flatMap((name, index) => (keys.includes(name) ? [] : [{ name, index }]));
  const replies = yield judged.map(({ name, index }): JudgeRequest => ({
    kind: 'judge',
    scope: `judge:${name}`,
    criterion: DEFAULT_CRITERION,
    pairs: pairs.map(([response, target], row) => ({
      index: row,
      response: response[index] ?? '',
      target: target[index] ?? '',
    })),
    attempt: 0,
  }));
  const grades = replies.reduce((sum, reply) => sum + columnScore(reply, pairs.length), 0);
  const itemHits = pairs.length * keys.length + grades;
  const counts = { rowHits: 0, itemHits, answer: answer.length, gold: gold.length, columns: required.length };
  return {
    kind: 'scored',
    itemF1: tally(counts).f1_by_item,
    formatOk: true,
    judgeIncomplete: false,
    notes: [],
  };
}

function* askMap(request: JudgeRequest): Asking<Record<string, unknown>> {
  const [reply] = yield [request];
  return reply?.kind === 'text' ? (parseFencedJson(reply.text) ?? {}) : {};
}

const mapped = (map: Record<string, unknown>, text: string): string =>
  Object.hasOwn(map, text) ? String(map[text]) : text;

/** Sum of the column's scores; an index that is absent counts 0, a failed call makes the whole column 0. */
function columnScore(reply: JudgeReply, rows: number): number {
  const scores = reply.kind === 'text' ? (parseFencedJson(reply.text) ?? {}) : {};
  let sum = 0;
  for (let row = 0; row < rows; row += 1) sum += Number(scores[`idx_${row}`] ?? 0) || 0;
  return sum;
}

/** Required columns in order, numeric ones rewritten. */
function select(
  rows: readonly (readonly string[])[],
  columns: readonly string[],
  required: readonly string[],
): string[][] {
  const lists = required.map((name) =>
    rewriteNumeric(rows.map((row) => (row[columns.indexOf(name)] ?? '').trim())),
  );
  return rows.map((_, row) => lists.map((list) => list[row] ?? ''));
}

/** Step 5: if any value is a number, numbers get six significant digits and all other text is erased. */
export function rewriteNumeric(cells: readonly string[]): string[] {
  const values = cells.map(parseFloatStrict);
  if (values.every((value) => value === null || Number.isNaN(value))) return [...cells];
  return values.map((value) => (value === null || Number.isNaN(value) ? '' : general(value)));
}

/** C's `%g`: six significant digits, no trailing zeros, exponent below 1e-4 and from 1e6. */
function general(value: number): string {
  if (!Number.isFinite(value)) return value < 0 ? '-inf' : 'inf';
  const [mantissa = '0', exponentText = '0'] = value.toExponential(5).split('e');
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < 6) return String(Number(value.toPrecision(6)));
  const digits = String(Math.abs(exponent)).padStart(2, '0');
  return `${Number(mantissa)}e${exponent < 0 ? '-' : '+'}${digits}`;
}

function dropDuplicates(rows: string[][], required: readonly string[], keys: readonly string[]): string[][] {
  const positions = keys.map((key) => required.indexOf(key));
  const seen = new Set<string>();
  return rows.filter((row) => {
    const key = tupleKey(positions.map((index) => row[index] ?? ''));
    return !seen.has(key) && seen.add(key);
  });
}

function join(answer: string[][], gold: string[][], positions: readonly number[]): [string[], string[]][] {
  const keyOf = (row: string[]): string => tupleKey(positions.map((index) => row[index] ?? ''));
  const byKey = new Map<string, string[][]>();
  for (const row of answer) {
    const rows = byKey.get(keyOf(row));
    if (rows === undefined) byKey.set(keyOf(row), [row]);
    else rows.push(row);
  }
  return gold.flatMap((row) =>
    (byKey.get(keyOf(row)) ?? []).map((match): [string[], string[]] => [match, row]),
  );
}
