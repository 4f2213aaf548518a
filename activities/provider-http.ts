import { z } from 'zod';
import { type FailureType, WideseekError } from '../domain/errors.ts';
import { redact } from './redact.ts';

/** A refused HTTP request, whatever client made it. Header names in a record are matched in any case. */
export interface HttpFailure {
  status: number;
  headers?: { get(name: string): string | null } | Record<string, string | string[] | undefined>;
  /** The body's text, or the message already taken out of it. */
  body?: string;
}

export interface ServiceContext {
  /** Name of the environment variable that holds the service's key; named in hints. */
  keyEnv?: string;
  /** Values that must not appear in any message. */
  secrets?: readonly string[];
  /** Milliseconds since the epoch, to read a Retry-After date. Default: now. */
  now?: number;
}

/** Starts the message of every failure that means "the conversation does not fit the model's window". */
export const CONTEXT_OVERFLOW_PREFIX = 'context overflow: ';

/** Longest provider message that is repeated in ours, in characters. */
const MESSAGE_CHARS = 400;

/** How OpenAI, vLLM, SGLang, llama.cpp, Mistral, Groq, xAI, Together and Anthropic-like servers say it. */
const OVERFLOW = [
  /context_(?:length|window)_exceeded|exceed_context_size|context[ _](?:length|window|size)[^.]{0,40}exceed/i,
  /(?:maximum|model(?:'s|s)?|available) (?:context|prompt) (?:length|size|window|limit)/i,
  /exceeds? (?:the )?(?:model's )?(?:maximum |available )?context/i,
  /(?:prompt|input) is too long|input (?:token count|length)[^.]{0,30} exceeds|reduce the length of the (?:messages|prompt|input)/i,
  /max(?:_completion)?_tokens must be at least 1, got -/i,
];

const OUT_OF_CREDIT =
  /insufficient_quota|billing|exceeded your current quota|credit balance|payment required/i;

/** The WideseekError of one refused request. Delays are in milliseconds. */
export function fromHttp(failure: HttpFailure, service: string, context: ServiceContext = {}): WideseekError {
  const { status } = failure;
  const text = failure.body ?? '';
  const said = redact(oneLine(providerMessage(text)), context.secrets).slice(0, MESSAGE_CHARS);
  const message = `${service}: HTTP ${status}${said ? `: ${said}` : ''}`;
  const header = (name: string): string | null => readHeader(failure.headers, name);
  const make = (type: FailureType, hint?: string, prefix = ''): WideseekError =>
    new WideseekError(type, prefix + message, {
      hint,
      retryAfterMs: retryAfter(header, context.now ?? Date.now()),
    });

  const keyHint = context.keyEnv
    ? `Check the key in the environment variable ${context.keyEnv}`
    : 'Name the environment variable that holds the key in the configuration of this service';
  if (status === 401 || status === 403 || status === 407) return make('Unauthorized', keyHint);
  // No credit is the account's trouble, not the run's ceiling: `BudgetExhausted` would report a limit that nobody set.
  if (status === 402 || (status === 429 && OUT_OF_CREDIT.test(text)))
    return make('Unauthorized', `The account has no credit left. Add credit or change the key. ${keyHint}`);
  if (status !== 429 && status !== 408 && OVERFLOW.some((pattern) => pattern.test(text)))
    return make(
      'BadRequest',
      'Shorten the conversation or use a model with a larger window',
      CONTEXT_OVERFLOW_PREFIX,
    );

  const type = typeOfStatus(status);
  const advice = header('x-should-retry');
  if (advice === 'false' && (type === 'RateLimited' || type === 'Overloaded' || type === 'Timeout'))
    return make('BadRequest', 'The provider said not to try again');
  if (advice === 'true' && type === 'BadRequest') return make('Overloaded');
  return make(type, HINTS[type]);
}

const HINTS: Partial<Record<FailureType, string>> = {
  BadRequest: "Check the service's URL, the model's name and its options in the configuration",
};

function typeOfStatus(status: number): FailureType {
  if (status === 429) return 'RateLimited';
  if (status === 408 || status === 504) return 'Timeout';
  // 409 and 425 mean "not now" at the providers that send them; 5xx is their fault.
  if (status === 409 || status === 425 || status >= 500) return 'Overloaded';
  if (status >= 400) return 'BadRequest';
  return 'BadReply';
}

const isGetter = (headers: object): headers is { get(name: string): string | null } =>
  'get' in headers && typeof headers.get === 'function';

function readHeader(headers: HttpFailure['headers'], name: string): string | null {
  if (!headers) return null;
  if (isGetter(headers)) return headers.get(name);
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return (Array.isArray(found) ? found[0] : found) ?? null;
}

/** `retry-after-ms`, else `Retry-After` in seconds or as an HTTP date; undefined where neither can be read. */
function retryAfter(header: (name: string) => string | null, now: number): number | undefined {
  const millis = header('retry-after-ms')?.trim();
  if (millis && /^\d+(\.\d+)?$/.test(millis)) return Math.ceil(Number(millis));
  const value = header('retry-after')?.trim();
  if (!value) return undefined;
  if (/^\d+(\.\d+)?$/.test(value)) return Math.ceil(Number(value) * 1000);
  // Without the letters of a month it is no HTTP date, though Date.parse would read `-3` as one.
  const date = /[a-z]{3}/i.test(value) ? Date.parse(value) : NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/**
 * The human-readable message in an error body: `error.message`, `error`, `message` or `detail` of a JSON object
 * (OpenAI, Ollama, vLLM and SGLang, FastAPI), else the text itself.
 */
export function providerMessage(body: string): string {
  const parsed = errorBodySchema.safeParse(parseJson(body));
  if (!parsed.success) return body;
  const { error, message, detail } = parsed.data;
  const found = (typeof error === 'object' ? error?.message : error) ?? message ?? detail;
  if (found === undefined || found === null) return body;
  return typeof found === 'string' ? found : JSON.stringify(found);
}

const errorBodySchema = z.looseObject({
  error: z.union([z.string(), z.looseObject({ message: z.unknown().optional() })]).nullish(),
  message: z.unknown().optional(),
  detail: z.unknown().optional(),
});

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Error pages span lines and carry markup; messages are one line of text. */
function oneLine(text: string): string {
  const plain = /^\s*</.test(text)
    ? text.replace(/<(script|style)[^]*?<\/\1>/gi, ' ').replace(/<[^>]*>/g, ' ')
    : text;
  return plain.replace(/\s+/g, ' ').trim();
}
