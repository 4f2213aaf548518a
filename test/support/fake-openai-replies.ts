/** One tool call that the fake model makes. A string goes out as it is, also when it is broken JSON. */
export interface FakeCall {
  name: string;
  arguments: string | Record<string, unknown>;
  /** Default: `call_<request>_<index>`. Null: the field is left out, as some servers do. */
  id?: string | null;
}

/** What the fake server does with one request. */
export type Behaviour =
  | {
      kind: 'reply';
      content?: string | null;
      calls?: FakeCall[];
      /** Sent as `reasoning_content`. */
      reasoning?: string;
      finishReason?: string;
      /** Null: the reply has no usage. Default: counted in words. */
      usage?: { prompt_tokens: number; completion_tokens: number } | null;
      /** Milliseconds before the headers. */
      delayMs?: number;
      /** Milliseconds between the pieces of the body. */
      chunkMs?: number;
    }
  | { kind: 'status'; status: number; message?: string; code?: string; headers?: Record<string, string> }
  | { kind: 'raw'; status?: number; type?: string; body: string; headers?: Record<string, string> }
  /** Valid JSON that stops in the middle, with a complete HTTP response around it. */
  | { kind: 'truncated' }
  /** Half a body and then a closed connection. */
  | { kind: 'cut' }
  /** The connection is reset before any answer. */
  | { kind: 'reset' }
  /** Never answers. */
  | { kind: 'stall' };

/** A plain text answer. */
export const text = (content: string): Behaviour => ({ kind: 'reply', content });

/** Native tool calls. */
export const calls = (...list: FakeCall[]): Behaviour => ({ kind: 'reply', content: null, calls: list });

/** HTTP 429; `retryAfter` goes out as the header's value. */
export const rateLimited = (retryAfter?: string): Behaviour => ({
  kind: 'status',
  status: 429,
  message: 'Rate limit reached',
  headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
});

/** An error page with status 200, as proxies and wrong base URLs send it. */
export const html = (): Behaviour => ({
  kind: 'raw',
  type: 'text/html',
  body: '<!doctype html><html><body>Welcome to the gateway</body></html>',
});

/** A reply without choices, or with a choice that says nothing. */
export const empty = (what: 'choices' | 'content'): Behaviour =>
  what === 'choices'
    ? { kind: 'raw', body: JSON.stringify({ id: 'x', object: 'chat.completion', choices: [] }) }
    : { kind: 'reply', content: '' };

/** The JSON body of a `reply`, as chat.completions servers write it. `n` counts requests from 0. */
export function completionBody(
  behaviour: Extract<Behaviour, { kind: 'reply' }>,
  model: string,
  n: number,
): string {
  const content = behaviour.content === undefined ? null : behaviour.content;
  const toolCalls = behaviour.calls?.map((call, index) => ({
    ...(call.id === null ? {} : { id: call.id ?? `call_${n}_${index}` }),
    type: 'function',
    function: {
      name: call.name,
      arguments: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments),
    },
  }));
  const usage = behaviour.usage === undefined ? { prompt_tokens: 10, completion_tokens: 5 } : behaviour.usage;
  return JSON.stringify({
    id: `chatcmpl-${n}`,
    object: 'chat.completion',
    created: 0,
    model,
    choices: [
      {
        index: 0,
        finish_reason: behaviour.finishReason ?? (toolCalls ? 'tool_calls' : 'stop'),
        message: {
          role: 'assistant',
          content,
          ...(behaviour.reasoning === undefined ? {} : { reasoning_content: behaviour.reasoning }),
          ...(toolCalls ? { tool_calls: toolCalls } : {}),
        },
      },
    ],
    ...(usage ? { usage: { ...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens } } : {}),
  });
}
