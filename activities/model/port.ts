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
  /** Window of the conversation, reply included, in tokens; models that count exactly keep to it. */
  contextTokens?: number;
  /** Requests with one session key go to one replica, so its prefix cache stays hot. */
  session: string;
  /** What the same agent's last turn was made of, for models that work on token ids. Null: first turn, or not known. */
  previous?: PreviousTokens | null;
}

/** The exact tokens of an agent's conversation up to and including its last reply. */
export interface PreviousTokens {
  /** How many of the request's messages these tokens cover. */
  messages: number;
  promptTokens: Int32Array;
  responseTokens: Int32Array;
}

/** One generation as token ids, exactly as the sampler returned it; training sees only this. */
export interface TokenTurn {
  promptTokens: Int32Array;
  responseTokens: Int32Array;
  /** One per response token, at temperature 1. */
  logprobs: Float32Array;
  /** Policy version that wrote the reply. */
  version: number;
  /** One per response token, where weights changed in the middle of the reply. */
  versions?: Int32Array;
  /** The prompt does not continue the last turn's tokens; this turn is trained as a sequence of its own. */
  mismatch: boolean;
}

export interface ModelReply {
  message: AssistantMessage;
  finishReason: 'stop' | 'length' | 'tool_calls';
  usage: Usage;
  /** Only from models that work on token ids. */
  tokens?: TokenTurn;
}

/**
 * A chat model. Implementations never retry: one call is one request, and failures are thrown as
 * `WideseekError` with the type that says whether Temporal may try again.
 */
export interface ChatModel {
  /** What answered, for reports: a model name, or `extractive` for the built-in policy. */
  readonly name: string;
  /** Works on token ids: wants `previous` and returns `tokens`. */
  readonly exactTokens?: true;
  complete(request: ModelRequest, signal: AbortSignal): Promise<ModelReply>;
}
