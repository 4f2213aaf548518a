import type { AgentRole, Message } from './messages.ts';

/** `terse`: next to no words around the task, for small models that learned the protocol from examples alone. */
export type PromptStyle = 'standard' | 'terse';

/** The opening of a terse conversation: the role's name, and the task under its one heading. */
export const terseOpening = (input: {
  role: AgentRole;
  question: string;
  subtask: string | null;
}): Message[] => [
  { role: 'system', content: input.role },
  {
    role: 'user',
    content: input.subtask === null ? `Question: ${input.question}` : `Task: ${input.subtask}`,
  },
];

/** What stands before a subagent's report: nothing where it is a proper one, else how the subagent ended. */
export const terseReportHeading = (outcome: string): string => (outcome === 'answered' ? '' : `[${outcome}]`);

/** A report without text, a search without hits. */
export const TERSE_NOTHING = 'none';

/** Every complaint about a call, and every outage, is one word; other notes, such as a person's guidance, stay. */
export const terseNote = (text: string): string => (text.startsWith('Error: ') ? 'error' : text);

/** Result list of a search: the passages and nothing else. */
export const terseHits = (passages: readonly string[]): string =>
  passages.length === 0 ? TERSE_NOTHING : passages.map((passage) => `- ${passage}`).join('\n');
