import { z } from 'zod';

/** One tool call as the agent machine sees it, whatever its wire form was. */
export const toolCallSchema = z.object({
  id: z.string(),
  name: z.string(),
  /** JSON text exactly as the model wrote it; validated against the tool's schema later. */
  arguments: z.string(),
});
export type ToolCall = z.infer<typeof toolCallSchema>;

/**
 * A message of a conversation. Messages are immutable; `activities/store` names each by the hash of its
 * content and its parent's hash, so a conversation is one head hash.
 */
export const messageSchema = z.discriminatedUnion('role', [
  z.object({ role: z.literal('system'), content: z.string() }),
  z.object({ role: z.literal('user'), content: z.string() }),
  z.object({
    role: z.literal('assistant'),
    content: z.string(),
    /** The model's private reasoning, kept for the record; providers decide whether it is sent again. */
    reasoning: z.string().optional(),
    toolCalls: z.array(toolCallSchema).optional(),
  }),
  z.object({ role: z.literal('tool'), toolCallId: z.string(), name: z.string(), content: z.string() }),
]);
export type Message = z.infer<typeof messageSchema>;
export type AssistantMessage = Extract<Message, { role: 'assistant' }>;

/** An OpenAI-style function tool: `parameters` is a JSON Schema object. */
export interface ToolSchema {
  name: string;
  description: string;
  parameters: Record<string, unknown>;
}

/** Who speaks: the lead delegates, the subagent searches and reads, the single agent does both alone. */
export const agentRoleSchema = z.enum(['lead', 'subagent', 'single']);
export type AgentRole = z.infer<typeof agentRoleSchema>;

export const languageSchema = z.enum(['en', 'zh']);
export type Language = z.infer<typeof languageSchema>;
