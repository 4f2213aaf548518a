import { extractTable } from '../tables/markdown.ts';
import { extractBoxed, visibleText } from './answer.ts';
import { parseCalls } from './calls.ts';
import { ENOUGH } from './long-prompts.ts';
import type { AgentRole, AssistantMessage, Message } from './messages.ts';
import type { PromptInput } from './prompts.ts';
import type { CallProblem, ToolRequest } from './requests.ts';
import { lastTag, parseTags } from './tags.ts';

export interface OutcomeInput {
  role: AgentRole;
  /** From 1; makes the ids of calls that were written as tags. */
  turn: number;
  /** Requests of one turn. */
  max: number;
  /** Names of the tools that were offered; none in turns for reading and for answering. */
  tools: readonly string[];
  reading: boolean;
  mustAnswer: boolean;
  answer: PromptInput['answer'];
  /** Results of one search. */
  topK: number;
}

/** What a reply of a long-horizon agent amounts to. */
export interface Outcome {
  /** The message to keep: calls in one form, no calls where none were allowed, never empty. */
  message: AssistantMessage;
  requests: ToolRequest[];
  problems: CallProblem[];
  answered: boolean;
  formed: boolean;
  enough: boolean;
  /** The answer itself; null where the reply is none. */
  text: string | null;
}

/** Stands for a reply without words: endpoints refuse an empty message. */
const SILENT = '–';

/** Reads one reply: native calls or the tag dialect, notes in a reading turn, an answer where it has the form of one. */
export function outcomeOf(reply: AssistantMessage, input: OutcomeInput): Outcome {
  const { toolCalls: native = [], ...rest } = reply;
  const tags = parseTags(reply.content, `call_${input.turn}`);
  if (input.reading || input.mustAnswer) {
    const enough = input.reading && reply.content.search(ENOUGH) >= 0;
    const content = (input.reading ? visibleText(tags.content).replace(ENOUGH, '') : tags.content).trim();
    const text = input.mustAnswer ? formedAnswer(content, input.answer) : null;
    return {
      message: { ...rest, content: content || SILENT },
      requests: [],
      problems: [],
      answered: content !== '',
      formed: text !== null,
      enough,
      text,
    };
  }
  const toolCalls = native.length > 0 ? native : tags.calls;
  const content = native.length > 0 ? reply.content.trim() : tags.content;
  const message: AssistantMessage =
    toolCalls.length > 0 ? { ...rest, content, toolCalls } : { ...rest, content: content || SILENT };
  const parsed = parseCalls(input.role, message, input.max);
  const allowed = parsed.requests.filter((request) => input.tools.includes(request.tool));
  const refused = parsed.requests.filter((request) => !input.tools.includes(request.tool));
  const problems = [
    ...parsed.problems,
    ...refused.map(({ callId, tool }) => ({
      callId,
      name: tool,
      text: `there is no tool "${tool}"; you have: ${input.tools.join(', ')}`,
    })),
  ];
  const text = toolCalls.length > 0 ? null : formedAnswer(content, input.answer);
  return {
    message,
    requests: allowed.map((request) =>
      request.tool === 'search' ? { ...request, count: input.topK } : request,
    ),
    problems,
    answered: content !== '',
    formed: text !== null,
    enough: false,
    text,
  };
}

/**
 * The answer in a text that has the form of one: an answer tag, a box, or a table, as far as the run asks for it. Null for
 * anything else, so that a passing thought is never taken for an answer.
 */
export function formedAnswer(text: string, answer: PromptInput['answer']): string | null {
  const visible = visibleText(text);
  const tagged = lastTag(visible, 'answer');
  if (answer !== 'boxed' && extractTable(tagged ?? visible) !== null) return tagged ?? visible;
  if (answer === 'table') return null;
  return (extractBoxed(visible) || null) !== null ? visible : tagged;
}

/** Longest text without the form of an answer that can still be one. */
const PLAIN_ANSWER = 300;

/**
 * An answer for an agent that was stopped, or did not give one when it had to: the newest text with the form of an
 * answer; else its last words, where they answer in a sentence. Null rather than words that are none.
 * `published`: the reference's own rule, which also takes the last line that speaks of an answer (spec asearcher 1.2).
 */
export function fallbackAnswer(
  messages: readonly Message[],
  answer: PromptInput['answer'],
  { forced, published }: { forced: boolean; published: boolean },
): string | null {
  const said = messages.filter((message) => message.role === 'assistant');
  for (const message of said.toReversed()) {
    const text = message.toolCalls?.length ? null : formedAnswer(message.content, answer);
    if (text !== null) return text;
  }
  if (published) {
    const lines = said.flatMap((message) => `${message.reasoning ?? ''}\n${message.content}`.split('\n'));
    const line = lines.findLast((one) => /answer|答案/i.test(one));
    return line?.trim() ?? (visibleText(said.at(-1)?.content ?? '') || null);
  }
  const last = visibleText(said.at(-1)?.content ?? '');
  return forced && answer !== 'table' && last !== SILENT && last !== '' && last.length <= PLAIN_ANSWER
    ? last
    : null;
}
