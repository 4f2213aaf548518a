import { END, messageStart } from './vocabulary.ts';
import { ANSWER, REPORT } from './phrases.ts';
import { ATTRIBUTES, LIST_PHRASES } from './pools.ts';
import { KEY_COLUMN } from './questions.ts';

/** A conversation as the template wrote it. */
export interface Conversation {
  role: string;
  /** The first user message. */
  task: string;
  /** The agent's own messages. */
  said: string[];
  /** The results it got, one message a turn. */
  results: string[];
}

/** Reads a prompt back: what a model sees is all that an expert knows. */
export function readPrompt(prompt: string): Conversation {
  const of = (role: string): string[] =>
    prompt
      .split(END)
      .filter((message) => message.startsWith(messageStart(role)))
      .map((message) => message.slice(messageStart(role).length));
  return {
    role: of('system')[0] ?? '',
    task: of('user')[0] ?? '',
    said: of('assistant').filter((text) => text !== ''),
    results: of('tool'),
  };
}

/** Group and attributes of a question. */
export function readQuestion(task: string): { group: string; pair: [string, string] } | null {
  const [, group, first, second] =
    /^Question: List every member of (.+) with (\S+) and (\S+)\.$/.exec(task) ?? [];
  return group && first && second ? { group, pair: [first, second] } : null;
}

/** Names on a group's page among search results; null where there is no such page. */
export function readGroupPage(results: string, group: string): string[] | null {
  for (const phrase of LIST_PHRASES) {
    const start = `- ${group}${phrase} `;
    const line = results.split('\n').find((text) => text.startsWith(start));
    if (line) return line.slice(start.length, -1).split(', ');
  }
  return null;
}

/** Values on an entity's page among search results, by attribute; null where there is no such page. */
export function readEntityPage(results: string, name: string): Map<string, string> | null {
  const line = results.split('\n').find((text) => text.startsWith(`- ${name}:`));
  if (!line) return null;
  return new Map(
    ATTRIBUTES.flatMap((attribute) =>
      attribute.phrases.flatMap((phrase) => {
        const at = line.indexOf(`${phrase} `);
        const value =
          at < 0 ? undefined : /^[\w.]+?(?=\.(?: |$))/.exec(line.slice(at + phrase.length + 1))?.[0];
        return value === undefined ? [] : [[attribute.name, value] as const];
      }),
    ),
  );
}

/** A row as subagents report it. */
export const reportRow = (name: string, values: readonly string[]): string =>
  `${REPORT.row} ${[name, ...values].join(`${ANSWER.cell} `)}${ANSWER.cell}`;

/** Cells of a reported row; null for any other line. */
export const readRow = (line: string): string[] | null =>
  line.startsWith(`${REPORT.row} `)
    ? line
        .slice(1, -ANSWER.cell.length)
        .split(ANSWER.cell)
        .map((cell) => cell.trim())
    : null;

/** The final answer; without rows there is none to give. */
export function answerTable(pair: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return REPORT.nothing;
  const line = (cells: readonly string[]): string => ` ${cells.join(`${ANSWER.cell} `)}`;
  const open = ANSWER.open.slice(0, -` ${KEY_COLUMN} |`.length);
  const header = `${open}${line([KEY_COLUMN, ...pair])}`;
  return `${header}${ANSWER.header}${rows.map(line).join(ANSWER.row)}${ANSWER.close}`;
}
