import type { Message } from './messages.ts';

/**
 * The headings under which prompts carry the task. Prompts are written with them and the built-in
 * extractive policy reads them back, as any model would.
 */
export const HEADINGS = {
  en: {
    question: '## Question',
    main: '## Main question (for context)',
    subtask: '## Your subtask',
    notes: '## Notes so far',
    latest: '## Latest result',
    now: '## What to do now',
    turn: '[Turn',
  },
  zh: {
    question: '## 问题',
    main: '## 主问题（仅供参考）',
    subtask: '## 你的子任务',
    notes: '## 迄今的笔记',
    latest: '## 最新结果',
    now: '## 现在要做的',
    turn: '[第',
  },
} as const;

/** What a conversation's first user message asks for; null where it carries no known heading. */
export function readTask(
  messages: readonly Message[],
): { question: string; subtask: string | null; language: 'en' | 'zh' } | null {
  const user = messages.find((message) => message.role === 'user');
  if (!user) return null;
  for (const language of ['en', 'zh'] as const) {
    const headings = HEADINGS[language];
    const sections = splitSections(
      user.content,
      [headings.question, headings.main, headings.subtask, headings.notes, headings.latest, headings.now],
      headings.turn,
    );
    const question = sections.get(headings.question) ?? sections.get(headings.main);
    if (question !== undefined)
      return { question, subtask: sections.get(headings.subtask) ?? null, language };
  }
  return null;
}

/** Text under each heading, up to the next heading or the turn hint. */
function splitSections(text: string, headings: readonly string[], hintStart: string): Map<string, string> {
  const sections = new Map<string, string>();
  let current: string | null = null;
  let lines: string[] = [];
  const flush = (): void => {
    if (current !== null) sections.set(current, lines.join('\n').trim());
    lines = [];
  };
  for (const line of text.split('\n')) {
    const isHeading = headings.includes(line.trim());
    if (!isHeading && !line.startsWith(hintStart)) {
      lines.push(line);
      continue;
    }
    flush();
    current = isHeading ? line.trim() : null;
  }
  flush();
  return sections;
}
