import type { ChatContext } from './context.ts';
import { answerTable, boxed, fencedTable } from './answer-form.ts';
import { answerDeep } from './answer-deep.ts';
import { answerWide } from './answer-wide.ts';
import { parseQuestion } from './parse-question.ts';
import { printFinding } from './reports.ts';
import { toolMove } from './reply.ts';
import type { Move } from './reply.ts';
import type { WideQuestion } from './parse-question.ts';
import type { Row } from './settle.ts';

/** One turn of an agent that does the whole question itself; `report`: it writes to a lead, not to the asker. */
export async function answerAlone(context: ChatContext, report: boolean): Promise<Move> {
  const { task, memory, budget, ranker, stance } = context;
  if (task.form === 'boxed') {
    const next = await answerDeep(task.question, memory, budget, ranker);
    if (next.kind !== 'done') return toolMove(next, stance);
    const { answer, url } = next.result;
    const text = report || answer === null ? printFinding(answer, url, task.language) : boxed(answer);
    return {
      kind: 'text',
      text,
      thought: answer === null ? 'No page gives the answer.' : 'The chain is resolved.',
    };
  }
  const question = parseQuestion(task.question);
  const goal = {
    classPhrase: question.classPhrase,
    noun: question.noun,
    columns: question.columns.map(({ ask }) => ask),
  };
  const next = await answerWide(goal, memory, budget, ranker);
  if (next.kind !== 'done') return toolMove(next, stance);
  return {
    kind: 'text',
    text: fencedTable(answerTable(question, byHeader(next.result.rows, question))),
    thought: `${next.result.rows.length} rows.`,
  };
}

/** Rows with their cells under the headers of the answer. */
export function byHeader(
  rows: readonly Row[],
  question: WideQuestion,
): { entity: string; cells: Map<string, string> }[] {
  return rows.map(({ entity, cells }) => ({
    entity,
    cells: new Map(
      question.columns.flatMap(({ header, ask }) => {
        const cell = cells.get(ask);
        return cell === undefined ? [] : [[header, cell] as const];
      }),
    ),
  }));
}
