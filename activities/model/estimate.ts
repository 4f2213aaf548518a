import type { Message, ToolSchema } from '../../domain/agents/messages.ts';
import { estimateTokens } from '../../domain/agents/text.ts';
import type { Usage } from './port.ts';

/** Role markers and separators of a chat template, in tokens. */
const MESSAGE_OVERHEAD = 6;

/** Tokens of a prompt: messages with their calls, and the schemas of the tools. */
function estimatePromptTokens(messages: readonly Message[], tools: readonly ToolSchema[]): number {
  const texts = messages.map((message) =>
    message.role === 'assistant' && message.toolCalls
      ? message.content + JSON.stringify(message.toolCalls)
      : message.content,
  );
  const sum = texts.reduce((tokens, text) => tokens + estimateTokens(text) + MESSAGE_OVERHEAD, 0);
  return sum + (tools.length ? estimateTokens(JSON.stringify(tools)) : 0);
}

/** Usage of a call whose provider reported none; for budgets only. */
export const estimateUsage = (
  messages: readonly Message[],
  tools: readonly ToolSchema[],
  replyText: string,
): Usage => ({
  promptTokens: estimatePromptTokens(messages, tools),
  completionTokens: estimateTokens(replyText),
  estimated: true,
});
