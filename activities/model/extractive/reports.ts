import { parseMarkdownTables, printMarkdown } from '../../../domain/tables/markdown.ts';
import type { Language } from '../../../domain/agents/messages.ts';
import { splitConditions } from './conditions.ts';
import type { Condition } from './conditions.ts';
import type { Members } from './answer-wide.ts';
import { isQualityColumn } from './find-values.ts';
import type { Row } from './settle.ts';
import { nameKey } from './text.ts';

const LABELS = {
  en: { open: 'Still to check:', missing: 'Not found:', sources: 'Sources:', answer: 'Answer:' },
  zh: { open: '尚待核对：', missing: '未找到：', sources: '来源：', answer: '答案：' },
} as const;

const table = (keyColumn: string, columns: readonly string[], rows: readonly Row[]): string =>
  printMarkdown({
    columns: [keyColumn, ...columns],
    rows: rows.map(({ entity, cells }) => [entity, ...columns.map((column) => cells.get(column) ?? '')]),
  });

/** A subagent's list: the members, what the list says about them, and the conditions that it leaves open. */
export function printMembers(
  keyColumn: string,
  columns: readonly string[],
  members: Members,
  language: Language,
): string {
  const say = LABELS[language];
  if (members.rows.length === 0)
    return `${say.missing} ${language === 'zh' ? '没有找到合适的名单。' : 'no page lists these items.'}`;
  const shown = columns.filter((column) => members.rows.some((row) => row.cells.has(column)));
  const lines = [table(keyColumn, shown, members.rows)];
  if (members.conditions.length > 0)
    lines.push(`${say.open} ${members.conditions.map(printCondition).join('; ')}`);
  if (members.urls.length > 0) lines.push(`${say.sources} ${members.urls.join(' ')}`);
  return lines.join('\n\n');
}

/** A subagent's facts, with what it could not find said openly. */
export function printValues(
  keyColumn: string,
  columns: readonly string[],
  rows: readonly Row[],
  urls: readonly string[],
  language: Language,
): string {
  const say = LABELS[language];
  const missing = rows.flatMap(({ entity, cells }) => {
    const lacking = columns.filter((column) => !isQualityColumn(column) && (cells.get(column) ?? '') === '');
    return lacking.length === 0 ? [] : [`${entity} – ${lacking.join(', ')}`];
  });
  const lines = [table(keyColumn, columns, rows)];
  if (missing.length > 0) lines.push(`${say.missing} ${missing.join('; ')}`);
  if (urls.length > 0) lines.push(`${say.sources} ${[...new Set(urls)].join(' ')}`);
  return lines.join('\n\n');
}

export function printFinding(answer: string | null, url: string, language: Language): string {
  const say = LABELS[language];
  if (answer === null)
    return `${say.missing} ${language === 'zh' ? '读到的网页没有给出答案。' : 'the pages that were read do not give the answer.'}`;
  return [`${say.answer} ${answer}`, ...(url === '' ? [] : [`${say.sources} ${url}`])].join('\n');
}

/** The answer in a report, or null. */
export function readFinding(report: string): string | null {
  const boxed = /\\boxed\{([^{}]*)\}/.exec(report)?.[1];
  const told = boxed ?? /^\s*(?:Answer|答案)\s*[:：]\s*(.+)$/im.exec(report)?.[1];
  return told?.trim() ?? null;
}

/** Rows of the tables in a report, the first column being the key. */
export function readRows(report: string): { columns: string[]; rows: Row[] } {
  const columns = new Set<string>();
  const rows = new Map<string, Row>();
  for (const found of parseMarkdownTables(report)) {
    const [, ...names] = found.columns;
    names.forEach((name) => columns.add(name));
    for (const [entity = '', ...cells] of found.rows) {
      const key = nameKey(entity);
      if (key === '') continue;
      const row = rows.get(key) ?? { entity, cells: new Map<string, string>() };
      cells.forEach((cell, at) => {
        const name = names[at];
        if (name !== undefined && cell.trim() !== '' && !row.cells.has(name))
          row.cells.set(name, cell.trim());
      });
      rows.set(key, row);
    }
  }
  return { columns: [...columns], rows: [...rows.values()] };
}

/** Conditions that a list report leaves open; none where it does not speak of any. */
export function readOpen(report: string, classPhrase: string): Condition[] {
  const line = /^(?:Still to check|尚待核对)\s*[:：]\s*(.+)$/im.exec(report)?.[1];
  if (line === undefined) return [];
  const own = splitConditions(classPhrase).conditions;
  return line.split(';').flatMap((part) => readCondition(part.trim(), own));
}

function printCondition(condition: Condition): string {
  if (condition.kind === 'quality') return `is ${condition.text}`;
  if (condition.kind === 'relation') return `${condition.column} = ${condition.text}`;
  if (condition.kind === 'name') return `name ${condition.place} ${condition.text}`;
  return `value of ${condition.column}`;
}

function readCondition(text: string, own: readonly Condition[]): Condition[] {
  const quality = /^is\s+(.+)$/.exec(text)?.[1];
  if (quality) return [{ kind: 'quality', text: quality }];
  const relation = /^(.+?)\s+=\s+(.+)$/.exec(text);
  if (relation) return [{ kind: 'relation', column: relation[1] ?? '', text: relation[2] ?? '' }];
  const column = /^value of (.+)$/.exec(text)?.[1];
  return own.filter((condition) =>
    condition.kind === 'compare'
      ? condition.column === column
      : condition.kind === 'name' && printCondition(condition) === text,
  );
}
