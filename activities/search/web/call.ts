import { withDeadline } from '../../model/deadline.ts';
import { rethrowIfCancelled, toWideseekError } from '../../provider-errors.ts';
import { fromHttp, type ServiceContext } from '../../provider-http.ts';
import { WideseekError } from '../../../domain/errors.ts';
import { readBody } from '../../pages/body.ts';
import { Readable } from 'node:stream';

/** Environment variables by name; injectable so that tests need no real ones. */
export type Env = Readonly<Record<string, string | undefined>>;

/** A reply of this size is no search result. Bytes. */
const MAX_BYTES = 32 * 1024 * 1024;

export interface CallOptions {
  url: string;
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body?: unknown;
  timeoutMs: number;
  service: string;
  context: ServiceContext;
}

/** A reply as text, whatever its status. */
export interface Reply {
  status: number;
  headers: Headers;
  text: string;
}

/**
 * One HTTP call with a deadline and a bounded reply. Retries are the caller's. Throws typed errors that name the service
 * and never a key; a cancellation is rethrown as the signal's reason.
 */
export async function call(options: CallOptions, signal: AbortSignal): Promise<Reply> {
  const { service, context, timeoutMs } = options;
  rethrowIfCancelled(signal);
  try {
    return await withDeadline(signal, timeoutMs, async (inner) => {
      const response = await fetch(options.url, {
        method: options.method,
        headers: options.headers,
        body: options.body === undefined ? undefined : JSON.stringify(options.body),
        // A redirect would carry the key to wherever it points.
        redirect: 'manual',
        signal: inner,
      });
      const stream = response.body ? Readable.fromWeb(response.body) : Readable.from([]);
      const body = await readBody(stream, '', { maxBytes: MAX_BYTES });
      if (typeof body === 'string')
        throw new WideseekError('BadReply', `${service}: reply of more than ${MAX_BYTES} bytes`);
      return { status: response.status, headers: response.headers, text: body.toString('utf8') };
    });
  } catch (error) {
    rethrowIfCancelled(signal);
    throw toWideseekError(error, service, context);
  }
}

/** The error of a reply whose status is not success. */
export const refusal = (
  { status, headers, text }: Reply,
  service: string,
  context: ServiceContext,
): WideseekError => fromHttp({ status, headers, body: text }, service, context);

/** The value of the key in the named variable. Throws `ConfigError` naming the variable where it is unset. */
export function keyFrom(env: Env, name: string, service: string): string {
  const key = env[name]?.trim();
  if (key) return key;
  throw new WideseekError('ConfigError', `${service}: the environment variable ${name} is not set`, {
    hint: `Put the key of ${service} into ${name} and start the worker again`,
  });
}
