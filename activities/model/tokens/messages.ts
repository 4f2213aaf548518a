import type { Message, ToolCall } from '../../../domain/agents/messages.ts';
import { escapeControlText } from '../control-text.ts';
import type { TemplateMessage } from './template.ts';

/** Makes a text harmless as data for one tokenizer. */
export type Guard = (text: string) => string;

/**
 * A guard for a tokenizer: beyond the control text that every model knows, each of `controlTokens` loses its first
 * character to an HTML entity. Encoding what comes out gives none of these tokens.
 */
export function createGuard(controlTokens: readonly string[]): Guard {
  const texts = controlTokens.filter((token) => token.trim() !== '').sort((a, b) => b.length - a.length);
  const pattern = new RegExp(
    texts.map((text) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'),
    'g',
  );
  if (texts.length === 0) return escapeControlText;
  return (text) => {
    const escaped = escapeControlText(text);
    return escaped.replace(
      pattern,
      (token) =>
        `&#${token.codePointAt(0)};${token.slice(String.fromCodePoint(token.codePointAt(0)!).length)}`,
    );
  };
}

/**
 * Messages in the form of chat templates. All but the system's text comes from outside or from the model, and is
 * guarded: in a re-rendered conversation only the template writes control tokens.
 */
export const toTemplateMessages = (messages: readonly Message[], guard: Guard): TemplateMessage[] =>
  messages.map((message): TemplateMessage => {
    if (message.role === 'system') return { role: 'system', content: message.content };
    const content = guard(message.content);
    if (message.role === 'user') return { role: 'user', content };
    if (message.role === 'tool')
      return { role: 'tool', content, tool_call_id: message.toolCallId, name: message.name };
    return {
      role: 'assistant',
      content,
      ...(message.reasoning ? { reasoning_content: guard(message.reasoning) } : {}),
      ...(message.toolCalls?.length
        ? { tool_calls: message.toolCalls.map((call) => toCall(call, guard)) }
        : {}),
    };
  });

const toCall = (call: ToolCall, guard: Guard): NonNullable<TemplateMessage['tool_calls']>[number] => ({
  id: call.id,
  type: 'function',
  function: { name: guard(call.name), arguments: readArguments(guard(call.arguments)) },
});

/** Templates write objects as JSON in their own way; what the model got wrong is repeated as it was. */
function readArguments(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : text;
  } catch {
    return text;
  }
}
