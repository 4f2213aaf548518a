import type { AssistantMessage } from '../../domain/agents/messages.ts';
import { WideseekError } from '../../domain/errors.ts';
import type { ChatModel, ModelReply, ModelRequest, Usage } from '../../activities/model/port.ts';

/** One canned answer: text, or calls with or without text, or an error that is thrown. */
export type ScriptedTurn =
  | string
  | Error
  | {
      text?: string;
      reasoning?: string;
      /** A string goes out as it is, so that a test can send broken JSON. */
      calls?: { name: string; arguments: string | Record<string, unknown>; id?: string }[];
      finishReason?: ModelReply['finishReason'];
      usage?: Usage;
    };

/** A queue of turns, each used once; or a function, for fakes that look at the conversation. */
export type TurnSource =
  readonly ScriptedTurn[] | ((request: ModelRequest, n: number) => ScriptedTurn | undefined);

export interface ScriptedModel extends ChatModel {
  /** Every request, in order of arrival, with the conversation as it was then. */
  readonly requests: ModelRequest[];
  /** What was asked when no turn was left. A test's last line expects this to be empty. */
  readonly overruns: string[];
  /** Turns of the queues that nobody has asked for. */
  remaining(): number;
}

/**
 * A chat model with canned turns, in this process. `source` is one queue for all requests, a function, or one of either
 * per key, where `keyOf` names the key of a request (default: its session). A request for which no turn is
 * left throws `Internal`, which is never retried, and is noted in `overruns`.
 */
export function scriptedModel(
  source: TurnSource | Record<string, TurnSource>,
  options: { name?: string; delayMs?: number; keyOf?: (request: ModelRequest) => string } = {},
): ScriptedModel {
  const shared = Array.isArray(source) || typeof source === 'function';
  const sources = new Map(
    shared ? [['', source as TurnSource]] : Object.entries(source as Record<string, TurnSource>),
  );
  const used = new Map<string, number>();
  const requests: ModelRequest[] = [];
  const overruns: string[] = [];

  const next = (request: ModelRequest): ScriptedTurn => {
    const key = shared ? '' : (options.keyOf ?? ((asked) => asked.session))(request);
    const n = used.get(key) ?? 0;
    const turns = sources.get(key);
    const turn = typeof turns === 'function' ? turns(request, n) : turns?.[n];
    if (turn === undefined) {
      const last = request.messages.at(-1);
      const problem = `scripted model${key && ` "${key}"`}: no turn ${n + 1}; last message (${last?.role}): ${last?.content.slice(0, 300)}`;
      overruns.push(problem);
      throw new WideseekError('Internal', problem);
    }
    used.set(key, n + 1);
    return turn;
  };

  return {
    name: options.name ?? 'scripted',
    requests,
    overruns,
    remaining: () =>
      [...sources].reduce(
        (sum, [key, turns]) => sum + (typeof turns === 'function' ? 0 : turns.length - (used.get(key) ?? 0)),
        0,
      ),
    complete: async (request, signal) => {
      signal.throwIfAborted();
      requests.push({ ...request, messages: [...request.messages] });
      const turn = next(request);
      if (options.delayMs) await delay(options.delayMs, signal);
      if (turn instanceof Error) throw turn;
      return toReply(turn, requests.length);
    },
  };
}

function toReply(turn: Exclude<ScriptedTurn, Error>, n: number): ModelReply {
  const {
    text = '',
    reasoning,
    calls,
    finishReason,
    usage,
  } = typeof turn === 'string' ? { text: turn } : turn;
  const message: AssistantMessage = {
    role: 'assistant',
    content: text,
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(calls
      ? {
          toolCalls: calls.map((call, index) => ({
            id: call.id ?? `call_${n}_${index}`,
            name: call.name,
            arguments: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments),
          })),
        }
      : {}),
  };
  return {
    message,
    finishReason: finishReason ?? (calls ? 'tool_calls' : 'stop'),
    usage: usage ?? { promptTokens: 10, completionTokens: 5 },
  };
}

/** Waits, or throws the signal's reason as soon as it aborts. */
function delay(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal.reason instanceof Error ? signal.reason : new DOMException('aborted', 'AbortError'));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal.addEventListener('abort', abort, { once: true });
  });
}
