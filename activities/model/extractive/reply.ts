import type { Message } from '../../../domain/agents/messages.ts';
import type { ModelReply } from '../port.ts';
import { hashText } from './hash.ts';
import type { Next, Query, Want } from './memory.ts';
import type { Stance } from './role.ts';

/** What the policy decided: a tool call or a text. */
export type Move =
  | { kind: 'call'; name: string; arguments: Record<string, unknown>; thought: string }
  | { kind: 'text'; text: string; thought: string };

/** A search or access step in the argument form that the stance's tools take. */
export function toolMove(next: Exclude<Next<unknown>, { kind: 'done' }>, { role }: Stance): Move {
  const scalar = role === 'single';
  if (next.kind === 'search') {
    const queries = next.queries.map(({ query, count }: Query) => ({ query, count }));
    const [first] = queries;
    return {
      kind: 'call',
      name: 'search',
      arguments: scalar ? { ...first } : { queries },
      thought: `Search for ${queries.map(({ query }) => query).join('; ')}.`,
    };
  }
  const urls = next.wants.map(({ url, intent, page }: Want) => ({
    url,
    info_to_extract: intent,
    ...(page === undefined ? {} : { page }),
  }));
  const [first] = urls;
  return {
    kind: 'call',
    name: 'access',
    arguments: scalar ? { ...first } : { urls },
    thought: `Read ${urls.length} page(s) whose titles fit.`,
  };
}

/** A move as a model's reply. Call ids depend only on the conversation, so a retry gives the same bytes. */
export function replyOf(move: Move, messages: readonly Message[]): ModelReply {
  const promptTokens = estimate(messages.map(({ content }) => content).join('\n'));
  const text = move.kind === 'text' ? move.text : JSON.stringify(move.arguments);
  const usage = { promptTokens, completionTokens: estimate(text + move.thought), estimated: true };
  if (move.kind === 'text') {
    return {
      message: { role: 'assistant', content: move.text, reasoning: move.thought },
      finishReason: 'stop',
      usage,
    };
  }
  const id = `call_${messages.length}_${hashText(text)}`;
  const toolCalls = [{ id, name: move.name, arguments: text }];
  return {
    message: { role: 'assistant', content: '', reasoning: move.thought, toolCalls },
    finishReason: 'tool_calls',
    usage,
  };
}

const estimate = (text: string): number => Math.ceil(text.length / 4);
