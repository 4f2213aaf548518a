import { parseTags, printTag } from '../../domain/agents/tags.ts';
import type { Message, ToolSchema } from '../../domain/agents/messages.ts';
import { escapeControlText } from './control-text.ts';
import type { PlainMessage } from './hermes.ts';
import type { ModelReply } from './port.ts';

/** Where generation stops, so that nobody pays for observations that a model invents after its own action. */
export const TAG_STOPS = ['</search>', '</access>'];

const USES: Record<string, string> = {
  search: '<search>what to look for</search> searches',
  access: '<access>URL</access> opens a page',
};

/**
 * Messages in the tag dialect of search agents: actions are tags in the assistant's own text, results come back as
 * `<information>` in user messages, and the system message says which tags there are.
 */
export function toTagMessages(messages: readonly Message[], tools: readonly ToolSchema[]): PlainMessage[] {
  const plain: PlainMessage[] = [];
  const push = (role: PlainMessage['role'], content: string): void => {
    const last = plain.at(-1);
    if (last && last.role === role) last.content += `\n\n${content}`;
    else plain.push({ role, content });
  };
  const uses = tools.flatMap(({ name }) => USES[name] ?? []);
  if (uses.length > 0)
    push(
      'system',
      `Act by writing one tag and stopping there: ${uses.join('; ')}. <answer>…</answer> gives the final answer. Results come back inside <information>.`,
    );
  for (const message of messages) {
    if (message.role === 'tool')
      push('user', `<information>\n${escapeControlText(message.content)}\n</information>`);
    else if (message.role !== 'assistant')
      push(message.role, message.role === 'user' ? escapeControlText(message.content) : message.content);
    else
      push(
        'assistant',
        [message.content, ...(message.toolCalls ?? []).map((call) => printTag(call) ?? '')]
          .filter(Boolean)
          .join('\n'),
      );
  }
  return plain;
}

/** A reply with its tags read as calls; `turn` keeps their ids apart. A reply that has calls already stays as it is. */
export function readTags(reply: ModelReply, turn: number): ModelReply {
  if (reply.message.toolCalls?.length) return reply;
  const { content, calls } = parseTags(reply.message.content, `call_${turn}`);
  if (calls.length === 0) return reply;
  const finishReason = reply.finishReason === 'length' ? 'length' : 'tool_calls';
  return { ...reply, finishReason, message: { ...reply.message, content, toolCalls: calls } };
}
