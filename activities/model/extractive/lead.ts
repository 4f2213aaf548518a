import type { ChatContext } from './context.ts';
import { answerTable, boxed, fencedTable, fitsInto } from './answer-form.ts';
import { byHeader } from './alone.ts';
import type { Condition } from './conditions.ts';
import { holds } from './conditions.ts';
import { parseQuestion } from './parse-question.ts';
import type { WideQuestion } from './parse-question.ts';
import { printFinding, readFinding, readOpen, readRows } from './reports.ts';
import type { SeenReport } from './read-tools.ts';
import type { Move } from './reply.ts';
import { neededColumns, settle } from './settle.ts';
import type { Row } from './settle.ts';
import { printSubtask, readSubtask } from './subtask.ts';
import type { Subtask } from './subtask.ts';
import { nameKey } from './text.ts';
import { isQualityColumn } from './find-values.ts';

const PER_BATCH = 5;
const MAX_PER_BATCH = 12;

/** One turn of the lead: list, then attributes in balanced batches, then what is missing, then the answer. */
export function leadMove(context: ChatContext): Move {
  return context.task.form === 'boxed' ? leadDeep(context) : leadWide(context);
}

function leadDeep(context: ChatContext): Move {
  const { task, memory, budget } = context;
  const found = memory.reports.map(({ report }) => readFinding(report)).find((answer) => answer !== null);
  if (found !== undefined && found !== null)
    return { kind: 'text', text: boxed(found), thought: 'A subagent found the answer.' };
  if (memory.reports.length === 0 && budget.turns > 1)
    return delegate([{ kind: 'open', text: task.question }], context, 'One chain of facts: one subagent.');
  return { kind: 'text', text: printFinding(null, '', task.language), thought: 'Nothing was found.' };
}

function leadWide(context: ChatContext): Move {
  const { task, memory, budget, stance } = context;
  const question = parseQuestion(task.question);
  const asks = question.columns.map(({ ask }) => ask);
  const tasks = memory.reports.map((report) => ({ report, subtask: readSubtask(report.task) }));
  const lists = tasks.filter(({ subtask }) => subtask.kind === 'list');
  const list: Subtask = {
    kind: 'list',
    classPhrase: question.classPhrase,
    noun: question.noun,
    keyColumn: question.keyColumn,
    columns: asks,
  };
  const mayDelegate = budget.turns > 1 && stance.width > 0;
  if (memory.reports.length === 0 && mayDelegate)
    return delegate([list], context, 'First the complete list.');

  const { rows, conditions } = gather(
    lists.length > 0 ? lists.map(({ report }) => report) : memory.reports,
    question,
  );
  if (rows.length === 0 && mayDelegate && memory.reports.length === 1) {
    return delegate(
      [{ kind: 'open', text: task.question }],
      context,
      'The list was not found; let one subagent try the question as a whole.',
    );
  }
  const needed = neededColumns(asks, conditions);
  const valueTasks = tasks.flatMap(({ report, subtask }) =>
    subtask.kind === 'values' ? [{ report, subtask }] : [],
  );
  for (const { report } of valueTasks) fill(rows, readRows(report.report).rows);
  const alive = rows.filter((row) => !ruledOut(row, conditions, needed));
  const lacking = (row: Row): string[] => needed.filter((column) => (row.cells.get(column) ?? '') === '');

  if (mayDelegate) {
    const asked = new Set(valueTasks.flatMap(({ subtask }) => subtask.entities.map(nameKey)));
    const fresh = alive.filter((row) => !asked.has(nameKey(row.entity)) && lacking(row).length > 0);
    if (fresh.length > 0)
      return delegate(
        batches(fresh, question, needed, stance.width, false),
        context,
        `${fresh.length} items need facts.`,
      );
    const retried = new Set(
      valueTasks
        .filter(({ subtask }) => subtask.retry)
        .flatMap(({ subtask }) => subtask.entities.map(nameKey)),
    );
    const poor = alive.filter(
      (row) => !retried.has(nameKey(row.entity)) && lacking(row).some((column) => !isQualityColumn(column)),
    );
    if (poor.length > 0 && retried.size === 0)
      return delegate(
        batches(poor, question, needed, stance.width, true),
        context,
        `${poor.length} items still lack facts.`,
      );
  }
  return finalAnswer(question, settle(rows, conditions, asks).rows, context);
}

function gather(
  reports: readonly SeenReport[],
  question: WideQuestion,
): { rows: Row[]; conditions: Condition[] } {
  const rows: Row[] = [];
  const conditions: Condition[] = [];
  for (const { report } of reports) {
    fill(rows, readRows(report).rows, true);
    if (conditions.length === 0) conditions.push(...readOpen(report, question.classPhrase));
  }
  return { rows, conditions };
}

/** Adds cells to rows of the same name; with `grow` also new rows. Cells that are there already stay. */
function fill(rows: Row[], found: readonly Row[], grow = false): void {
  const known = new Map(rows.map((row) => [nameKey(row.entity), row]));
  for (const row of found) {
    const own = known.get(nameKey(row.entity));
    if (own) for (const [column, cell] of row.cells) own.cells.set(column, own.cells.get(column) || cell);
    else if (grow) rows.push({ entity: row.entity, cells: new Map(row.cells) });
  }
}

function ruledOut(row: Row, conditions: readonly Condition[], needed: readonly string[]): boolean {
  return conditions.some((condition) => {
    if (condition.kind === 'name') return holds(condition, row.entity, '') === false;
    const column = needed.find((name) =>
      condition.kind === 'quality'
        ? isQualityColumn(name) && name.startsWith(condition.text)
        : name === condition.column,
    );
    return column !== undefined && holds(condition, row.entity, row.cells.get(column) ?? '') === false;
  });
}

/** Balanced subtasks of neighbouring rows: about five items each, more only where the width forces it. */
function batches(
  rows: readonly Row[],
  question: WideQuestion,
  needed: readonly string[],
  width: number,
  retry: boolean,
): Subtask[] {
  const count = Math.min(width, Math.ceil(rows.length / PER_BATCH));
  const shown = rows.slice(0, count * MAX_PER_BATCH);
  return Array.from({ length: count }, (_, at): Subtask => {
    const part = shown.slice(
      Math.floor((at * shown.length) / count),
      Math.floor(((at + 1) * shown.length) / count),
    );
    const columns = needed.filter((column) => part.some((row) => (row.cells.get(column) ?? '') === ''));
    return {
      kind: 'values',
      noun: question.noun,
      keyColumn: question.keyColumn,
      entities: part.map(({ entity }) => entity),
      columns,
      retry,
    };
  });
}

function delegate(subtasks: readonly Subtask[], { task }: ChatContext, thought: string): Move {
  const prompts = subtasks.map((subtask) => ({ prompt: printSubtask(subtask, task.language) }));
  return { kind: 'call', name: 'create_sub_agents', arguments: { sub_agents: prompts }, thought };
}

function finalAnswer(question: WideQuestion, rows: readonly Row[], { memory, maxTokens }: ChatContext): Move {
  const text = fencedTable(answerTable(question, byHeader(rows, question)));
  const merged = memory.mergedTable && rows.length > 0 && !fitsInto(text, maxTokens);
  return { kind: 'text', text: merged ? '<merged_table/>' : text, thought: `${rows.length} rows.` };
}
