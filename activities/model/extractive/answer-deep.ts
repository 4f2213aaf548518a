import { answerWide } from './answer-wide.ts';
import { parsePlan } from './parse-plan.ts';
import type { Plan } from './parse-plan.ts';
import { findValues } from './find-values.ts';
import { done } from './memory.ts';
import type { Budget, Memory, Next } from './memory.ts';
import { headNoun } from './noun-phrase.ts';
import { quantitiesIn } from './quantities.ts';
import type { Ranker } from './ranker.ts';
import { resolvePhrase } from './resolve.ts';
import { formatCell } from './values-format.ts';

export interface Finding {
  /** Null where the pages that were read do not give it. */
  answer: string | null;
  url: string;
}

/** Answers a question with one answer hop by hop; every hop is a lookup or a list, never a guess. */
export async function answerDeep(
  question: string,
  memory: Memory,
  budget: Budget,
  ranker: Ranker,
): Promise<Next<Finding>> {
  const plan = parsePlan(question);
  return plan ? follow(plan, memory, budget, ranker) : done({ answer: null, url: '' });
}

async function follow(plan: Plan, memory: Memory, budget: Budget, ranker: Ranker): Promise<Next<Finding>> {
  if (plan.op === 'named') {
    const resolved = await resolvePhrase(plan.phrase, memory, budget, ranker);
    return resolved.kind === 'done' ? done({ answer: resolved.result, url: '' }) : resolved;
  }
  if (plan.op === 'attribute') {
    const owner = await follow(plan.of, memory, budget, ranker);
    if (owner.kind !== 'done' || owner.result.answer === null) return owner;
    const found = await findValues(
      { entities: [owner.result.answer], noun: '', columns: [plan.attribute] },
      memory,
      budget,
      ranker,
    );
    if (found.kind !== 'done') return found;
    const [row] = found.result;
    const cell = row?.cells[0];
    return done({ answer: cell ? formatCell(cell.value, plan.attribute) : null, url: row?.url ?? '' });
  }
  const columns = plan.by === null ? [] : [plan.by];
  const rows = await answerWide(
    { classPhrase: plan.classPhrase, noun: headNoun(plan.classPhrase), columns },
    memory,
    budget,
    ranker,
  );
  if (rows.kind !== 'done') return rows;
  const names = rows.result.rows;
  if (plan.by === null) return done({ answer: names[0]?.entity ?? null, url: '' });
  const ranked = names
    .map((row) => ({ row, amount: quantitiesIn(row.cells.get(plan.by ?? '') ?? '')[0]?.value }))
    .filter((item): item is { row: (typeof names)[number]; amount: number } => item.amount !== undefined)
    .sort((a, b) => (plan.most ? b.amount - a.amount : a.amount - b.amount));
  return done({ answer: ranked[0]?.row.entity ?? null, url: '' });
}
