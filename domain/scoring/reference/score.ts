import type { Table } from '../../run.ts';
import { tupleKey } from '../../tables/keys.ts';
import type { CellVerdict, Evaluation } from '../evaluation.ts';
import { emptyEvaluation, tally } from '../evaluation.ts';
import { parseFencedJson } from '../judge/reply.ts';
import type { Asking, JudgeRequest } from '../judge/request.ts';
import type { EvalRecord } from '../record.ts';
import { REFERENCE_METRICS } from './metrics.ts';
import { raise } from './text.ts';

/** One alignment call as the reference makes it: everything in one request, an unreadable reply is an empty map. */
export function* askReference(
  scope: string,
  vocabulary: readonly string[],
  reference: readonly string[],
): Asking<Record<string, unknown>> {
  return yield* ask({
    kind: 'align',
    scope,
    vocabulary: [...vocabulary],
    reference: [...reference],
    attempt: 0,
  });
}

function* ask(request: JudgeRequest): Asking<Record<string, unknown>> {
  const [reply] = yield [request];
  if (reply?.kind !== 'text') raise('JudgeError', reply?.reason ?? 'no reply');
  return parseFencedJson(reply.text) ?? {};
}

type Pair = { answer: readonly string[]; gold: readonly string[] };

/**
 * Section 10 with its defects: a many-to-many join, a score column per metric, unvalidated judge values, an error on
 * an empty join with a rule metric. `equalFrames` is the older success path.
 */
export function* scoreReference(
  record: EvalRecord,
  answer: Table,
  gold: Table,
  equalFrames: boolean,
): Asking<Evaluation> {
  const { required, unique_columns: keys, eval_pipeline: pipeline } = record.evaluation;
  const pairs = join(answer, gold, keys);
  const scores: unknown[][] = [];
  const cells: CellVerdict[] = [];
  for (const column of required) {
    if (keys.includes(column)) {
      scores.push(pairs.map(() => 1));
      continue;
    }
    const step = pipeline[column] ?? raise('KeyError', column);
    const at = (table: Table, row: readonly string[]): string => row[table.columns.indexOf(column)] ?? '';
    for (const metric of step.metric) {
      const values: unknown[] = [];
      if (metric === 'llm_judge') {
        const texts = pairs.map((pair, index) => ({
          index,
          response: at(answer, pair.answer),
          target: at(gold, pair.gold),
        }));
        const criterion = typeof step.criterion === 'string' ? step.criterion : '';
        const reply = yield* ask({
          kind: 'judge',
          scope: `judge:${column}`,
          criterion,
          pairs: texts,
          attempt: 0,
        });
        values.push(
          ...texts.map(({ index }) => (Object.hasOwn(reply, `idx_${index}`) ? reply[`idx_${index}`] : 0)),
        );
      } else {
        const compare = REFERENCE_METRICS.get(metric) ?? raise('AssertionError', `unknown metric ${metric}`);
        if (pairs.length === 0) raise('ValueError', `empty join before ${column}_${metric}`);
        values.push(
          ...pairs.map((pair) => compare(at(answer, pair.answer), at(gold, pair.gold), step.criterion)),
        );
      }
      scores.push(values);
      pairs.forEach((pair, row) => {
        cells.push({
          key: keys.map((key) => pair.gold[gold.columns.indexOf(key)] ?? ''),
          column,
          response: at(answer, pair.answer),
          target: at(gold, pair.gold),
          score: Number(values[row]),
          reason: metric,
        });
      });
    }
  }
  const numeric = scores.map((values) => values.map(toScore));
  let rowHits = 0;
  pairs.forEach((_, row) => {
    rowHits += numeric.reduce((least, values) => Math.min(least, values[row] ?? Infinity), Infinity);
  });
  const itemHits = numeric.flat().reduce<number>((sum, value) => sum + (value ?? 0), 0);
  const metrics = tally({
    rowHits,
    itemHits,
    answer: answer.rows.length,
    gold: gold.rows.length,
    columns: required.length,
  });
  if (equalFrames) metrics.score = 1;
  const rows = { answer: answer.rows.length, gold: gold.rows.length, joined: pairs.length };
  return { ...emptyEvaluation('ok', []), metrics, rows, cells };
}

/** null is skipped by minimum and sum; text and lists break the reference's sums. */
function toScore(value: unknown): number | null {
  if (value === null) return null;
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  raise('TypeError', 'a judge score is not a number');
}

function join(answer: Table, gold: Table, keys: readonly string[]): Pair[] {
  const keyOf = (table: Table): ((row: readonly string[]) => string) => {
    const positions = keys.map((key) => table.columns.indexOf(key));
    return (row) => tupleKey(positions.map((index) => row[index] ?? ''));
  };
  const [answerKey, goldKey] = [keyOf(answer), keyOf(gold)];
  const byKey = new Map<string, string[][]>();
  for (const row of answer.rows) byKey.set(answerKey(row), [...(byKey.get(answerKey(row)) ?? []), row]);
  return gold.rows.flatMap((row) =>
    (byKey.get(goldKey(row)) ?? []).map((match) => ({ answer: match, gold: row })),
  );
}
