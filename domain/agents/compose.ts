import type { Language, Message } from './messages.ts';
import { readingHint } from './long-prompts.ts';
import { MERGED_TABLE, turnHint } from './prompts.ts';
import type { PromptStyle } from './terse.ts';
import { estimateTokens, fitTexts } from './text.ts';

/** A message to append whose parts have been loaded. `fixed` text (headings, notes) is never cut. */
export type LoadedAppend =
  | { role: 'tool'; callId: string; name: string; parts: { fixed: string; body: string }[] }
  | { role: 'user'; text: string };

/**
 * Turns results into the messages of the next turn: bodies are fitted together into `budget` tokens, the
 * turn hint closes the last message, except in the terse style, which has none. A conversation must not end on the assistant's own words, so an empty list
 * becomes a user message with the hint alone.
 */
export function composeMessages(
  appends: readonly LoadedAppend[],
  hint: {
    language: Language;
    turn: number;
    turns: number;
    last: boolean;
    style?: PromptStyle;
    reading?: boolean;
  },
  budget: number,
): Message[] {
  const bodies = appends.flatMap((append) =>
    append.role === 'tool' ? append.parts.map((part) => part.body) : [],
  );
  const fixedCost = appends.reduce(
    (sum, append) =>
      sum +
      (append.role === 'user'
        ? estimateTokens(append.text)
        : append.parts.reduce((s, part) => s + estimateTokens(part.fixed) + 1, 8)),
    16,
  );
  const fitted = fitTexts(
    bodies,
    budget - fixedCost,
    (shown, all) => `[cut: ${shown} of ${all} characters shown]`,
  );

  const terse = hint.style === 'terse';
  let next = 0;
  const messages: Message[] = appends.map((append) => {
    if (append.role === 'user') return { role: 'user', content: append.text };
    const content = append.parts
      .map((part) => [part.fixed, fitted[next++]].filter((text) => text !== '').join('\n'))
      .join(terse ? '\n' : '\n\n');
    return { role: 'tool', toolCallId: append.callId, name: append.name, content };
  });
  const last = messages.at(-1);
  if (terse && last) return messages;
  const { language, turn, turns } = hint;
  const text = hint.reading ? readingHint(language, turn, turns) : turnHint(language, turn, turns, hint.last);
  if (!last) return [{ role: 'user', content: text }];
  last.content += `\n\n${text}`;
  return messages;
}

/** How a subagent's report is announced to the lead: number, outcome, what was asked. */
export const reportHeading = (n: number, outcome: string, prompt: string): string =>
  `### Subagent ${n}: ${outcome}\nTask: ${prompt}\nReport:`;

/** Told after a delegation when the reports' tables could be merged. */
export const mergedNote = (columns: readonly string[], rows: number): string =>
  `The tables of all reports so far, merged: ${rows} rows, columns: ${columns.join(' | ')}. To submit it as it is, answer ${MERGED_TABLE}`;
