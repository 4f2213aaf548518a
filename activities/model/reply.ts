import type { AssistantMessage, ToolCall } from '../../domain/agents/messages.ts';
import { WideseekError } from '../../domain/errors.ts';
import { fromHttp, type ServiceContext } from '../provider-http.ts';
import { estimateUsage } from './estimate.ts';
import { parseHermes } from './hermes.ts';
import type { ModelReply, ModelRequest } from './port.ts';
import { joinParts, splitReasoning } from './reasoning.ts';
import { type Completion, completionSchema, wrappedErrorSchema } from './wire.ts';

/**
 * Reads what a server answered with status 200. Reasoning is split off; native calls are taken as they are; calls
 * written as text count also where native ones were asked for, because servers without a tool parser pass
 * them on as text, and taking them for an answer would end the agent. Ids are unique in the conversation.
 *
 * Throws `BadReply` for HTML, other non-JSON, a wrong shape, and a reply with neither text nor calls, unless the limit cut it
 * before it said anything (`finishReason: 'length'`); `BadRequest` where a content filter left nothing;
 * a failure that a gateway wrapped in a 200 as what it is.
 */
export function readReply(
  body: unknown,
  request: ModelRequest,
  service: string,
  context: ServiceContext = {},
): ModelReply {
  const { choices, usage } = parseCompletion(body, service, context);
  const choice = choices[0];
  if (!choice) throw new WideseekError('BadReply', `${service}: the reply has no choices`);
  const { message, finish_reason: reason } = choice;
  const raw = message.content ?? '';
  const split = splitReasoning(raw);
  const reasoning = joinParts([message.reasoning_content ?? message.reasoning, split.reasoning]);
  const turn = request.messages.filter((earlier) => earlier.role === 'assistant').length;
  const prefix = `call_${turn}`;
  const native = readNativeCalls(message.tool_calls ?? [], prefix);
  const written =
    native.length > 0 ? { content: split.content, calls: native } : parseHermes(split.content, prefix);
  const content = written.content || (message.refusal ?? '').trim();
  const { calls } = written;

  if (content === '' && calls.length === 0 && reason !== 'length') {
    if (reason === 'content_filter')
      throw new WideseekError('BadRequest', `${service}: the provider's content filter removed the reply`);
    throw new WideseekError('BadReply', `${service}: the reply has neither text nor tool calls`);
  }
  const answer: AssistantMessage = {
    role: 'assistant',
    content,
    ...(reasoning ? { reasoning } : {}),
    ...(calls.length > 0 ? { toolCalls: calls } : {}),
  };
  return {
    message: answer,
    finishReason: reason === 'length' ? 'length' : calls.length > 0 ? 'tool_calls' : 'stop',
    usage: usage
      ? { promptTokens: usage.prompt_tokens, completionTokens: usage.completion_tokens }
      : estimateUsage(
          request.messages,
          request.tools,
          raw + reasoning + native.map((call) => call.arguments).join(''),
        ),
  };
}

function parseCompletion(body: unknown, service: string, context: ServiceContext): Completion {
  const json = typeof body === 'string' ? fromText(body, service) : body;
  const wrapped = wrappedErrorSchema.safeParse(json);
  if (wrapped.success) throw wrappedFailure(wrapped.data.error, service, context);
  const parsed = completionSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.slice(0, 3).map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new WideseekError('BadReply', `${service}: not a chat completion: ${issues.join('; ')}`);
}

/** The SDK hands over a body as text when its content type is not JSON; some servers only forget the type. */
function fromText(text: string, service: string): unknown {
  if (/^\s*</.test(text))
    throw new WideseekError('BadReply', `${service}: answered with a web page instead of JSON`, {
      hint: 'Check that the base URL is that of the API; it usually ends in /v1',
    });
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new WideseekError('BadReply', `${service}: the reply is not JSON`);
  }
}

function wrappedFailure(
  error: string | { message?: string | null; code?: string | number | null },
  service: string,
  context: ServiceContext,
): WideseekError {
  const status = typeof error === 'string' ? NaN : Number(error.code);
  const said = typeof error === 'string' ? error : (error.message ?? 'no message');
  const known = Number.isInteger(status) && status >= 400 && status < 600;
  return fromHttp({ status: known ? status : 502, body: said }, service, context);
}

/** Ids are kept where the server gave distinct ones and made up where it did not. */
function readNativeCalls(
  list: NonNullable<Completion['choices'][number]['message']['tool_calls']>,
  prefix: string,
): ToolCall[] {
  const seen = new Set<string>();
  return list.map((call, index) => {
    const given = call.id && !seen.has(call.id) ? call.id : undefined;
    const id = given ?? `${prefix}_${index}`;
    seen.add(id);
    return { id, name: call.function.name?.trim() ?? '', arguments: call.function.arguments ?? '{}' };
  });
}
