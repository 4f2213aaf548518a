import type { AssistantMessage, Message, ToolSchema } from '../../domain/agents/messages.ts';

/** Token counts as the provider reported them (or estimated, see `estimated`). */
export interface Usage {
  promptTokens: number;
  completionTokens: number;
  /** True where the provider sent no usage and we estimated it from the text. */
  estimated?: boolean;
}

export interface ModelRequest {
  messages: readonly Message[];
  /** Empty: the model must answer in text. */
  tools: readonly ToolSchema[];
  maxTokens: number;
  temperature: number;
  seed?: number;
  /** Requests with one session key go to one replica, so its prefix cache stays hot. */
  session: string;
}

export interface ModelReply {
  message: AssistantMessage;
  finishReason: 'stop' | 'length' | 'tool_calls';
  usage: Usage;
}

/**
 * A chat model. Implementations never retry: one call is one request, and failures are thrown as
 * `WideseekError` with the type that says whether Temporal may try again.
 */
export interface ChatModel {
  /** What answered, for reports: a model name, or `extractive` for the built-in policy. */
  readonly name: string;
  complete(request: ModelRequest, signal: AbortSignal): Promise<ModelReply>;
}
