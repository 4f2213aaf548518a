import { ApplicationFailure } from '@temporalio/common';
import { APIConnectionTimeoutError, APIError, APIUserAbortError } from 'openai';
import { ZodError } from 'zod';
import { type FailureType, WideseekError } from '../domain/errors.ts';
import { CONTEXT_OVERFLOW_PREFIX, fromHttp, type HttpFailure, type ServiceContext } from './provider-http.ts';
import { redact } from './redact.ts';

/** What the codes of Node's sockets, TLS and undici mean to us. */
const CODES: Record<string, FailureType> = {
  ECONNREFUSED: 'Overloaded',
  ECONNRESET: 'Overloaded',
  ECONNABORTED: 'Overloaded',
  EPIPE: 'Overloaded',
  ENOTFOUND: 'Overloaded',
  EAI_AGAIN: 'Overloaded',
  EHOSTUNREACH: 'Overloaded',
  ENETUNREACH: 'Overloaded',
  EADDRNOTAVAIL: 'Overloaded',
  EMFILE: 'Overloaded',
  UND_ERR_SOCKET: 'Overloaded',
  UND_ERR_CLOSED: 'Overloaded',
  UND_ERR_DESTROYED: 'Overloaded',
  ETIMEDOUT: 'Timeout',
  UND_ERR_CONNECT_TIMEOUT: 'Timeout',
  UND_ERR_HEADERS_TIMEOUT: 'Timeout',
  UND_ERR_BODY_TIMEOUT: 'Timeout',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'BadReply',
  ERR_INVALID_URL: 'ConfigError',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'ConfigError',
  SELF_SIGNED_CERT_IN_CHAIN: 'ConfigError',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'ConfigError',
  CERT_HAS_EXPIRED: 'ConfigError',
  ERR_TLS_CERT_ALTNAME_INVALID: 'ConfigError',
};

const HINTS: Partial<Record<FailureType, string>> = {
  Overloaded: 'Check that the service runs and that its URL is right',
  Timeout: 'Raise the timeout of this service if it is only slow',
  ConfigError: "Check the service's URL and certificate",
};

/**
 * The WideseekError that says what an error from a provider's client means: SDK errors and refused HTTP
 * responses by status, socket and undici errors by code, aborts and timeouts, unreadable replies (JSON syntax,
 * zod). `service` names the provider in the message. A WideseekError, also one wrapped by a client as a
 * cause, is returned as it is; what nobody can explain becomes `Internal`. The original error is not kept as
 * a cause, because Temporal would write its message and stack into history.
 *
 * An abort is reported as `Timeout`: callers call `rethrowIfCancelled` first where a signal can also mean cancellation.
 */
export function toWideseekError(
  error: unknown,
  service: string,
  context: ServiceContext = {},
): WideseekError {
  const chain = causes(error);
  const ours = chain.find((link) => link instanceof WideseekError);
  if (ours) return ours;
  const make = (type: FailureType, what: string): WideseekError =>
    new WideseekError(type, `${service}: ${redact(what, context.secrets).slice(0, 400)}`, {
      hint: HINTS[type],
    });

  for (const link of chain) {
    const http = asHttpFailure(link);
    if (http) return fromHttp(http, service, context);
    if (link instanceof ZodError) return make('BadReply', `reply has an unexpected shape: ${issues(link)}`);
    if (link instanceof SyntaxError) return make('BadReply', `reply is not complete JSON: ${link.message}`);
    if (isAbort(link)) return make('Timeout', 'no answer within the deadline');
    const code = codeOf(link);
    const known = code && (CODES[code] ?? (code.startsWith('HPE_') ? 'BadReply' : undefined));
    if (known) return make(known, `${code}: ${messageOf(link)}`);
  }
  // fetch says no more than this when a connection breaks while the body is being read.
  const broken = chain.some(
    (link) => link instanceof TypeError && /terminated|fetch failed/.test(link.message),
  );
  const sdk = chain.some((link) => link instanceof APIError);
  if (broken || sdk) return make('Overloaded', `connection failed: ${messageOf(chain.at(-1))}`);
  return make('Internal', messageOf(error));
}

/**
 * Throws the signal's own reason when the caller has cancelled, so that Temporal sees the cancellation it sent.
 * A reason that is a timeout is no cancellation: it returns and the classifier reports `Timeout`.
 */
export function rethrowIfCancelled(signal: AbortSignal): void {
  if (!signal.aborted) return;
  const reason: unknown = signal.reason;
  if (reason instanceof Error && reason.name === 'TimeoutError') return;
  throw reason instanceof Error ? reason : new DOMException('The request was cancelled', 'AbortError');
}

/**
 * The Temporal failure of a WideseekError: same type, retried only where trying again can help, and not
 * before the delay that the provider named, else `usualDelayMs`, else the policy's own. The message is redacted once
 * more; no cause travels with it.
 * `details[0].contextOverflow` is true for a conversation that does not fit.
 */
export function toApplicationFailure(error: WideseekError, usualDelayMs?: number): ApplicationFailure {
  const { retryAfterMs = usualDelayMs } = error.details;
  return ApplicationFailure.create({
    message: redact(error.message),
    type: error.type,
    nonRetryable: !error.retryable,
    ...(error.retryable && retryAfterMs !== undefined ? { nextRetryDelay: retryAfterMs } : {}),
    ...(isContextOverflow(error) ? { details: [{ contextOverflow: true }] } : {}),
  });
}

/**
 * Whether the conversation did not fit the model's window, from a WideseekError or from the ApplicationFailure
 * made of it, at any depth of causes.
 */
export function isContextOverflow(error: unknown): boolean {
  return causes(error).some((link) => messageOf(link).startsWith(CONTEXT_OVERFLOW_PREFIX));
}

/** The error and its causes, outermost first; stops at loops. */
function causes(error: unknown): unknown[] {
  const chain: unknown[] = [];
  for (let link = error; link !== undefined && link !== null && !chain.includes(link);) {
    chain.push(link);
    link = typeof link === 'object' && 'cause' in link ? link.cause : undefined;
  }
  return chain;
}

/** SDK errors and fetch or undici responses, recognised by what they carry. */
function asHttpFailure(link: unknown): HttpFailure | undefined {
  if (typeof link !== 'object' || link === null) return undefined;
  const { status, statusCode, headers } = link as Record<string, unknown>;
  const code = typeof status === 'number' ? status : statusCode;
  if (typeof code !== 'number') return undefined;
  const body = 'body' in link && typeof link.body === 'string' ? link.body : undefined;
  return {
    status: code,
    headers:
      typeof headers === 'object' && headers !== null ? (headers as HttpFailure['headers']) : undefined,
    body: body ?? (link instanceof Error ? sdkMessage(link, code) : ''),
  };
}

/** The provider's words: the SDK puts the status before them and the code or type, which names the case, beside them. */
function sdkMessage(error: Error, status: number): string {
  const prefix = `${status} `;
  const text = error.message.startsWith(prefix) ? error.message.slice(prefix.length) : error.message;
  if (!(error instanceof APIError)) return text;
  const name = [error.code, error.type].find((label) => typeof label === 'string' && !/^\d*$/.test(label));
  return name && !text.includes(name) ? `${text} (${name})` : text;
}

function isAbort(link: unknown): boolean {
  if (link instanceof APIConnectionTimeoutError || link instanceof APIUserAbortError) return true;
  return link instanceof Error && (link.name === 'AbortError' || link.name === 'TimeoutError');
}

function codeOf(link: unknown): string | undefined {
  const code: unknown = typeof link === 'object' && link !== null && 'code' in link ? link.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

const messageOf = (link: unknown): string => (link instanceof Error ? link.message : String(link));

const issues = (error: ZodError): string =>
  error.issues
    .slice(0, 3)
    .map((issue) => `${issue.path.join('.') || 'body'}: ${issue.message}`)
    .join('; ');
