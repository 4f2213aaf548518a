import type { Message } from '../../../domain/agents/messages.ts';
import { readTask } from '../../../domain/agents/task.ts';
import type { Language } from '../../../domain/agents/messages.ts';
import { detectLanguage } from '../../../domain/agents/text.ts';
import { parseQuestion } from './parse-question.ts';

export interface Task {
  question: string;
  subtask: string | null;
  language: Language;
  /** A table of many items, or one boxed answer. */
  form: 'table' | 'boxed';
}

/** The task of a conversation; a first user message without known headings is the question itself. */
export function taskOf(messages: readonly Message[]): Task {
  const read = readTask(messages);
  const user = messages.find(({ role }) => role === 'user')?.content ?? '';
  const question = read?.question ?? user.replace(/\n*\[(?:Turn|第)[^\]]*\]\s*$/u, '').trim();
  const system = messages.find(({ role }) => role === 'system')?.content ?? '';
  return {
    question,
    subtask: read?.subtask ?? null,
    language: read?.language ?? detectLanguage(question),
    form: formOf(system, question),
  };
}

/** The system prompt decides where it allows one form only; else the question does. */
function formOf(system: string, question: string): Task['form'] {
  const boxed = system.includes('\\boxed');
  const table = /```\s*markdown/i.test(system);
  if (boxed !== table) return boxed ? 'boxed' : 'table';
  if (/\btable\b|\bcolumns?\b|表格|列名|各列|列出/iu.test(question)) return 'table';
  const wide = parseQuestion(question);
  const many = /^\s*(?:list|name)\b|\b(?:each|every|all)\b|哪些|所有|全部|每[个座种条]/iu.test(question);
  const plural =
    /^\s*(?:which|what)\s+(?:(?:are|were)\s+the\s+)?(?:\p{L}+\s+){0,3}?\p{L}+s\s+(?:are|were|have|use|border|belong|lie|do)\b/iu.test(
      question,
    );
  const single =
    /^\s*(?:what|which|who|where|when|how)\b.*\b(?:is|was|does|did|has)\b/iu.test(question) && !plural;
  return (wide.columns.length > 0 && !single) || many || plural ? 'table' : 'boxed';
}
