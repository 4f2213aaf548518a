import type { ChatContext } from './context.ts';
import { answerAlone } from './alone.ts';
import { findMembers } from './answer-wide.ts';
import { findValues } from './find-values.ts';
import { printMembers, printValues } from './reports.ts';
import { toolMove } from './reply.ts';
import type { Move } from './reply.ts';
import { readSubtask } from './subtask.ts';
import { formatCell } from './values-format.ts';

/** One turn of a subagent: does what its subtask says and reports it as a table. */
export async function subagentMove(context: ChatContext): Promise<Move> {
  const { task, memory, budget, ranker, stance } = context;
  const subtask = readSubtask(task.subtask ?? task.question);
  if (subtask.kind === 'open')
    return answerAlone(
      { ...context, task: { ...task, question: subtask.text, form: openForm(context, subtask.text) } },
      true,
    );
  if (subtask.kind === 'list') {
    const next = await findMembers(subtask, memory, budget, ranker);
    if (next.kind !== 'done') return toolMove(next, stance);
    const text = printMembers(
      subtask.keyColumn,
      [...new Set([...subtask.columns, ...extra(next.result.rows)])],
      next.result,
      task.language,
    );
    return { kind: 'text', text, thought: `The list has ${next.result.rows.length} items.` };
  }
  const next = await findValues(subtask, memory, budget, ranker);
  if (next.kind !== 'done') return toolMove(next, stance);
  const rows = next.result.map(({ entity, cells }) => ({
    entity,
    cells: new Map(
      cells.flatMap((cell, at) => {
        const column = subtask.columns[at];
        return cell && column !== undefined ? [[column, formatCell(cell.value, column)] as const] : [];
      }),
    ),
  }));
  const urls = next.result.map(({ url }) => url).filter((url) => url !== '');
  return {
    kind: 'text',
    text: printValues(subtask.keyColumn, subtask.columns, rows, urls, task.language),
    thought: 'All pages that fit have been read.',
  };
}

const extra = (rows: readonly { cells: ReadonlyMap<string, string> }[]): string[] => [
  ...new Set(rows.flatMap(({ cells }) => [...cells.keys()])),
];

const openForm = (context: ChatContext, text: string): 'table' | 'boxed' =>
  text.trim() === context.task.question.trim()
    ? context.task.form
    : /\btable\b|表格/iu.test(text)
      ? 'table'
      : 'boxed';
