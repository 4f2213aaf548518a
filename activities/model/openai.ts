import OpenAI from 'openai';
import type { ChatCompletionCreateParamsNonStreaming } from 'openai/resources/chat/completions';
import { Agent, fetch as undiciFetch, type RequestInit, Response } from 'undici';
import { WideseekError } from '../../domain/errors.ts';
import { rethrowIfCancelled, toWideseekError } from '../provider-errors.ts';
import { providerMessage, type ServiceContext } from '../provider-http.ts';
import { withDeadline } from './deadline.ts';
import { toHermesMessages } from './hermes.ts';
import type { ChatModel, ModelRequest } from './port.ts';
import type { Prices } from './pricing.ts';
import { readReply } from './reply.ts';
import { pickReplica } from './routing.ts';
import { readTags, TAG_STOPS, toTagMessages } from './tags.ts';
import { toNativeMessages, toNativeTool } from './wire.ts';

export interface OpenAiOptions {
  model: string;
  /** Replicas of one model; each usually ends in `/v1`. */
  baseUrls: readonly string[];
  /** Name of the environment variable with the key. Absent: no key is sent. */
  apiKeyEnv?: string;
  /** `native`: tools and calls in the API's own fields. `hermes`, `tags`: as text in the messages. */
  toolFormat: 'native' | 'hermes' | 'tags';
  /** Milliseconds from the request to the last byte of the reply. */
  timeoutMs: number;
  /** Merged into the request body last, so it wins; a null removes a field, e.g. `{"temperature": null}`. */
  extraBody?: Record<string, unknown>;
  /** Whether earlier reasoning is sent again. Default: no, as the models' own templates do. */
  sendReasoning?: boolean;
  prices?: Prices;
  /** Where keys are looked up. Default: the process's environment, at each call. */
  env?: Readonly<Record<string, string | undefined>>;
}

export interface OpenAiModel extends ChatModel {
  readonly prices: Prices | undefined;
}

/** How long a replica that refused or dropped a connection is passed over, in milliseconds. */
const COOL_DOWN_MS = 30_000;

/**
 * A chat model behind an OpenAI-compatible endpoint: one request per call and no retries of its own. A session stays on
 * one replica as long as that answers. Failures are WideseekErrors; cancellation throws the signal's reason.
 * Throws `ConfigError` here when there is no base URL or no model name.
 */
export function createOpenAiModel(options: OpenAiOptions): OpenAiModel {
  const { model, baseUrls, apiKeyEnv } = options;
  if (baseUrls.length === 0)
    throw new WideseekError('ConfigError', 'baseUrls: a model needs at least one base URL');
  if (!model) throw new WideseekError('ConfigError', 'model: the name of the model is empty');
  // Our deadline covers the whole call; the HTTP client's own limits of five minutes would cut long thinking.
  const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
  const restingUntil = new Map<string, number>();

  const chooseReplica = (session: string): string => {
    const now = Date.now();
    const awake = baseUrls.filter((url) => (restingUntil.get(url) ?? 0) <= now);
    return pickReplica(session, awake.length > 0 ? awake : baseUrls);
  };

  const complete: ChatModel['complete'] = async (request, signal) => {
    rethrowIfCancelled(signal);
    const url = chooseReplica(request.session);
    const service = `model ${model} at ${new URL(url).host}`;
    const key = apiKeyEnv === undefined ? undefined : readKey(options, service);
    const context: ServiceContext = { keyEnv: apiKeyEnv, secrets: key === undefined ? [] : [key] };
    const client = createClient(url, key, options.timeoutMs, dispatcher);
    try {
      const body = await withDeadline(signal, options.timeoutMs, (inner) =>
        client.chat.completions.create(requestBody(request, options), { signal: inner }),
      );
      restingUntil.delete(url);
      const reply = readReply(body, request, service, context);
      const turn = request.messages.filter((message) => message.role === 'assistant').length;
      return options.toolFormat === 'tags' ? readTags(reply, turn) : reply;
    } catch (error) {
      rethrowIfCancelled(signal);
      const failure = toWideseekError(error, service, context);
      if (failure.type === 'Overloaded' && failure.details.retryAfterMs === undefined)
        restingUntil.set(url, Date.now() + COOL_DOWN_MS);
      throw failure;
    }
  };
  return { name: model, prices: options.prices, complete };
}

function readKey({ apiKeyEnv = '', env = process.env }: OpenAiOptions, service: string): string {
  const key = env[apiKeyEnv]?.trim();
  if (key) return key;
  throw new WideseekError('Unauthorized', `${service}: no key`, {
    hint: `Set the environment variable ${apiKeyEnv} for the worker`,
  });
}

function createClient(baseURL: string, key: string | undefined, timeout: number, dispatcher: Agent): OpenAI {
  return new OpenAI({
    baseURL,
    timeout,
    maxRetries: 0,
    // The SDK insists on a key and would otherwise take those of the environment, also for somebody else's server.
    apiKey: key ?? 'none',
    organization: null,
    project: null,
    ...(key === undefined ? { defaultHeaders: { Authorization: null } } : {}),
    logLevel: 'off',
    fetch: async (input, init) => {
      const response = await undiciFetch(input as string, { ...(init as RequestInit), dispatcher });
      return response.ok ? response : await withReadableError(response);
    },
  });
}

/** The SDK reads a message only below `error`; vLLM, SGLang and FastAPI put it elsewhere, so it is moved there. */
async function withReadableError(response: Response): Promise<Response> {
  const text = await response.text();
  const wellFormed = /^\s*\{\s*"error"\s*:\s*\{/.test(text);
  const body = wellFormed || !text ? text : JSON.stringify({ error: { message: providerMessage(text) } });
  return new Response(body, { status: response.status, headers: response.headers });
}

function requestBody(request: ModelRequest, options: OpenAiOptions): ChatCompletionCreateParamsNonStreaming {
  const { messages, tools } = request;
  const sendReasoning = options.sendReasoning ?? false;
  const { toolFormat } = options;
  const body: ChatCompletionCreateParamsNonStreaming & Record<string, unknown> = {
    model: options.model,
    messages:
      toolFormat === 'hermes'
        ? toHermesMessages(messages, tools, sendReasoning)
        : toolFormat === 'tags'
          ? toTagMessages(messages, tools)
          : toNativeMessages(messages, sendReasoning),
    max_tokens: request.maxTokens,
    temperature: request.temperature,
    ...(request.seed === undefined ? {} : { seed: request.seed }),
    ...(toolFormat === 'native' && tools.length > 0 ? { tools: tools.map(toNativeTool) } : {}),
    ...(toolFormat === 'tags' && tools.length > 0 ? { stop: TAG_STOPS } : {}),
    ...options.extraBody,
  };
  for (const [name, value] of Object.entries(options.extraBody ?? {})) if (value === null) delete body[name];
  return body;
}
