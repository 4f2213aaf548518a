import { normaliseKey } from '../tables/keys.ts';
import type { CellVerdict, Metrics } from './evaluation.ts';
import { tally } from './evaluation.ts';
import type { Join } from './join.ts';
import { askVerdicts } from './judge/ask.ts';
import { DEFAULT_CRITERION } from './judge/prompts.ts';
import type { Asking } from './judge/request.ts';
import type { Verdict } from './metrics.ts';
import { compareCells, compareMissing, sameText } from './metrics.ts';
import { canonicalDecimal } from './numbers.ts';
import type { ColumnPlan } from './plan.ts';

export interface Scored {
  metrics: Metrics;
  cells: CellVerdict[];
  incomplete: boolean;
  outage: string | null;
}

/**
 * Sections 8 to 10: every non-key cell of every joined row, a column's item score being the minimum over its metrics
 * (FIX-19), a row's score the minimum over its columns. Key cells of joined rows count as right.
 */
export function* scoreJoin(
  join: Join,
  plan: readonly ColumnPlan[],
  absent: ReadonlySet<string>,
): Asking<Scored> {
  let incomplete = false;
  let outage: string | null = null;
  const byColumn: Verdict[][] = [];
  for (const [index, column] of plan.entries()) {
    if (column.isKey) {
      byColumn.push([]);
      continue;
    }
    const asked = column.metrics.includes('llm_judge') ? yield* judgeColumn(join, index, column) : null;
    incomplete ||= asked?.incomplete ?? false;
    outage ??= asked?.outage ?? null;
    byColumn.push(
      join.pairs.map(({ answer, gold }, row) => {
        if (absent.has(column.name)) return { score: 0, reason: 'column is missing in the answer' };
        const [response, target] = [answer.cells[index] ?? null, gold.cells[index] ?? null];
        const verdicts = column.metrics.map((metric): Verdict => {
          if (metric === 'llm_judge')
            return asked?.verdicts[row] ?? { score: 0, reason: 'llm_judge: not asked' };
          const { score, reason } = compareCells(metric, response, target, column.criterion);
          return { score, reason: `${metric}: ${reason}` };
        });
        return verdicts.find(({ score }) => score === 0) ?? verdicts[0] ?? { score: 0, reason: 'no metric' };
      }),
    );
  }
  return { ...total(join, plan, byColumn), incomplete, outage };
}

function total(
  join: Join,
  plan: readonly ColumnPlan[],
  byColumn: Verdict[][],
): Pick<Scored, 'metrics' | 'cells'> {
  let rowHits = 0;
  let itemHits = 0;
  const cells: CellVerdict[] = [];
  for (const [row, { answer, gold }] of join.pairs.entries()) {
    let all = true;
    for (const [index, column] of plan.entries()) {
      const found = byColumn[index]?.[row];
      if (column.isKey || found === undefined) {
        itemHits += 1;
        continue;
      }
      itemHits += found.score;
      all &&= found.score === 1;
      cells.push({
        key: gold.key.map((cell) => cell ?? ''),
        column: column.name,
        response: answer.cells[index] ?? null,
        target: gold.cells[index] ?? null,
        ...found,
      });
    }
    if (all) rowHits += 1;
  }
  const counts = { rowHits, itemHits, answer: join.answerRows, gold: join.goldRows, columns: plan.length };
  return { metrics: tally(counts), cells };
}

/** Verdicts of a judged column; missing cells are decided without the judge, unanswered pairs by text equality. */
function* judgeColumn(
  join: Join,
  index: number,
  column: ColumnPlan,
): Asking<{ verdicts: Verdict[]; incomplete: boolean; outage: string | null }> {
  const rows = join.pairs.map(
    ({ answer, gold }) => [answer.cells[index] ?? null, gold.cells[index] ?? null] as const,
  );
  const pairs = rows.flatMap(([response, target], row) =>
    response === null || target === null || settled(column, response, target)
      ? []
      : [{ index: row, response, target }],
  );
  const criterion = typeof column.criterion === 'string' ? column.criterion : DEFAULT_CRITERION;
  const asked = yield* askVerdicts(`judge:${column.name}`, criterion, pairs);
  const verdicts = rows.map(([response, target], row): Verdict => {
    const early = compareMissing(response, target);
    if (early !== null) return { score: early.score, reason: `llm_judge: ${early.reason}` };
    if (settled(column, response ?? '', target ?? ''))
      return { score: 1, reason: 'llm_judge: equal text, not asked' };
    const score = asked.value.get(row);
    if (score !== undefined) return { score, reason: `llm_judge: ${score}` };
    const same = sameText(response ?? '', target ?? '');
    return { score: same ? 1 : 0, reason: `llm_judge: no verdict, ${same ? 'equal' : 'different'} text` };
  });
  return { verdicts, incomplete: asked.incomplete, outage: asked.outage };
}

/** Equal without a judge: the same text but for case, spaces, markup, thousands separators and trailing zeros. */
function settled(column: ColumnPlan, response: string, target: string): boolean {
  const form = (text: string): string =>
    canonicalDecimal(normaliseKey(text).replace(/(?<=\d),(?=\d{3})/g, ''));
  return column.exactFirst && form(response) === form(target);
}
