import type { Language } from '../../../domain/agents/messages.ts';
import { parseQuestion } from './parse-question.ts';

/** What a subagent is asked to do. `open`: a prompt in other words than ours, to be answered like a question. */
export type Subtask =
  | { kind: 'list'; classPhrase: string; noun: string; keyColumn: string; columns: string[] }
  | { kind: 'values'; noun: string; keyColumn: string; entities: string[]; columns: string[]; retry: boolean }
  | { kind: 'open'; text: string };

const WORDS = {
  en: {
    list: 'Find the complete list of:',
    values: 'Look up facts about these items, each on its own page:',
    retry: 'These facts were not found yet. Search again with other words for these items:',
    noun: 'Kind of item:',
    columns: 'Columns:',
    report:
      'Report one Markdown table with these columns, one row per item. Leave a cell empty if no page gives it.',
    answer: 'Answer this question from pages that you read, and name the page:',
  },
  zh: {
    list: '查找完整名单：',
    values: '查找以下各项的资料，各看其自己的页面：',
    retry: '以下资料尚未找到，请换一种说法重新搜索：',
    noun: '项目类别：',
    columns: '列：',
    report: '请用一个 Markdown 表格报告，列如上，每项一行。网页中没有的单元格留空。',
    answer: '请根据读到的网页回答以下问题，并注明网页：',
  },
} as const;

const SEPARATOR = ' | ';

/** A prompt that stands alone, for any model, and that `readSubtask` reads back without loss. */
export function printSubtask(task: Subtask, language: Language): string {
  const say = WORDS[language];
  if (task.kind === 'open') return `${say.answer}\n${task.text}`;
  const head =
    task.kind === 'list'
      ? `${say.list} ${task.classPhrase}`
      : `${task.retry ? say.retry : say.values} ${task.entities.join('; ')}`;
  const columns = [task.keyColumn, ...task.columns].join(SEPARATOR);
  return [head, `${say.noun} ${task.noun}`, `${say.columns} ${columns}`, say.report].join('\n');
}

/** Reads a subtask; a prompt in foreign words is an open one, or a list where it names columns and a class. */
export function readSubtask(text: string): Subtask {
  for (const language of ['en', 'zh'] as const) {
    const say = WORDS[language];
    const line = (label: string): string | null => lineAfter(text, label);
    const noun = line(say.noun);
    const [keyColumn = '', ...columns] = (line(say.columns) ?? '').split('|').map((column) => column.trim());
    const classPhrase = line(say.list);
    if (classPhrase !== null && noun !== null) return { kind: 'list', classPhrase, noun, keyColumn, columns };
    const retried = line(say.retry);
    const named = retried ?? line(say.values);
    if (named !== null && noun !== null) {
      const entities = named
        .split(/;\s+/)
        .map((name) => name.trim())
        .filter((name) => name !== '');
      return { kind: 'values', noun, keyColumn, entities, columns, retry: retried !== null };
    }
    if (text.startsWith(say.answer)) return { kind: 'open', text: text.slice(say.answer.length).trim() };
  }
  return readForeign(text);
}

function lineAfter(text: string, label: string): string | null {
  const line = text.split('\n').find((candidate) => candidate.trim().startsWith(label));
  return line === undefined ? null : line.trim().slice(label.length).trim();
}

/** `For A, B and C give D and E` names its items; anything else is answered as a question of its own. */
function readForeign(text: string): Subtask {
  const named =
    /\b(?:for|of|about)\s+(?:the\s+\p{Ll}+\s+)?(?<items>\p{Lu}[^.:]*?(?:,|\sand\s)[^.:]*?)[,:]?\s+(?:give|list|find|provide|report|state|look\s+up)\s+(?<cols>[^.]+)/u.exec(
      text,
    )?.groups;
  if (!named) return { kind: 'open', text };
  const wanted = parseQuestion(`List all items. Give the ${named.cols ?? ''} of each.`);
  const entities = (named.items ?? '').split(/\s*,\s*(?:and\s+)?|\s+and\s+/).filter((name) => name !== '');
  return {
    kind: 'values',
    noun: '',
    keyColumn: 'Name',
    entities,
    columns: wanted.columns.map(({ ask }) => ask),
    retry: false,
  };
}
