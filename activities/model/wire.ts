import type { ChatCompletionMessageParam, ChatCompletionTool } from 'openai/resources/chat/completions';
import { z } from 'zod';
import type { Message, ToolCall, ToolSchema } from '../../domain/agents/messages.ts';
import { escapeControlText } from './control-text.ts';

/** A tool in the native form. */
export const toNativeTool = (tool: ToolSchema): ChatCompletionTool => ({
  type: 'function',
  function: { ...tool },
});

/**
 * Messages in the native form. Text from outside is kept from acting as control text, because servers put it into
 * a chat template. Earlier calls that the model got wrong are made acceptable: servers refuse a history
 * with an invalid name, or with arguments that are no JSON object.
 */
export function toNativeMessages(
  messages: readonly Message[],
  sendReasoning: boolean,
): ChatCompletionMessageParam[] {
  return messages.map((message): ChatCompletionMessageParam => {
    switch (message.role) {
      case 'system':
        return { role: 'system', content: message.content };
      case 'user':
        return { role: 'user', content: escapeControlText(message.content) };
      case 'tool':
        return {
          role: 'tool',
          tool_call_id: message.toolCallId,
          content: escapeControlText(message.content),
        };
      case 'assistant': {
        const reasoning = sendReasoning && message.reasoning ? { reasoning_content: message.reasoning } : {};
        const calls = message.toolCalls?.length ? { tool_calls: message.toolCalls.map(toNativeCall) } : {};
        return { role: 'assistant', content: escapeControlText(message.content), ...calls, ...reasoning };
      }
    }
  });
}

const toNativeCall = (call: ToolCall) => ({
  id: call.id,
  type: 'function' as const,
  function: {
    name: call.name.replace(/[^\w-]+/g, '_').slice(0, 64) || 'unnamed',
    arguments: isJsonObject(call.arguments)
      ? call.arguments
      : JSON.stringify({ invalid_arguments: call.arguments }),
  },
});

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

const textSchema = z.union([
  z.string(),
  z
    .array(z.looseObject({ type: z.string().optional(), text: z.string().optional() }))
    .transform((parts) => parts.map((part) => part.text ?? '').join('')),
]);
/** Optional fields are read where they are well formed and otherwise ignored: only the answer itself must be right. */
const optionalText = z.string().nullish().catch(undefined);

const callSchema = z.looseObject({
  id: z.string().nullish(),
  function: z.looseObject({
    name: z.string().nullish(),
    arguments: z
      .union([z.string(), z.record(z.string(), z.unknown()).transform((value) => JSON.stringify(value))])
      .nullish(),
  }),
});

const choiceSchema = z.looseObject({
  finish_reason: optionalText,
  message: z.looseObject({
    content: textSchema.nullish(),
    reasoning_content: optionalText,
    reasoning: optionalText,
    refusal: optionalText,
    tool_calls: z.array(callSchema).nullish(),
  }),
});

/** A chat.completions reply, as far as we read it. Unknown fields are allowed everywhere. */
export const completionSchema = z.looseObject({
  choices: z.array(choiceSchema).min(1, 'the reply has no choices'),
  usage: z
    .looseObject({
      prompt_tokens: z.number().int().nonnegative(),
      completion_tokens: z.number().int().nonnegative(),
    })
    .nullish()
    .catch(undefined),
});
export type Completion = z.infer<typeof completionSchema>;

/** Gateways report an upstream failure as an object in place of choices, with status 200. */
export const wrappedErrorSchema = z.looseObject({
  choices: z.array(z.unknown()).max(0).nullish(),
  error: z.union([
    z.string(),
    z.looseObject({ message: z.string().nullish(), code: z.union([z.string(), z.number()]).nullish() }),
  ]),
});
