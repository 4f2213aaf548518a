import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, type Dispatcher, request } from 'undici';
import type { z } from 'zod';
import { WideseekError } from '../../../domain/errors.ts';
import { withDeadline } from '../../model/deadline.ts';
import { rethrowIfCancelled, toWideseekError } from '../../provider-errors.ts';
import type { ServiceContext } from '../../provider-http.ts';
import { engineFailure, unreadableReply } from './failures.ts';
import { futureSchema, PROTOBUF } from './protocol.ts';

export interface WireHttpOptions {
  /** Address of the engine, without `/api/v1`. */
  baseUrl: string;
  /** Name of the environment variable with the key, for engines that ask for one. */
  apiKeyEnv?: string;
  /** Where keys are looked up. Default: the process's environment, at each call. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Connections; default: an agent of its own without time limits, since every call has its deadline. */
  dispatcher?: Dispatcher;
}

/** Result of a future: tensors come as protobuf, everything else as JSON. */
export type FutureResult = { kind: 'protobuf'; bytes: Uint8Array } | { kind: 'json'; value: unknown };

export interface WireHttp {
  readonly service: string;
  /** One request whose reply is JSON of the given shape. */
  post<T>(call: string, body: object, schema: z.ZodType<T>, signal: AbortSignal): Promise<T>;
  get<T>(path: string, schema: z.ZodType<T>, signal: AbortSignal): Promise<T>;
  remove(path: string, signal: AbortSignal): Promise<void>;
  /** Sends a request that answers with a future, and waits for it. */
  run(call: string, body: object | Uint8Array, signal: AbortSignal): Promise<FutureResult>;
  /** Waits for a future that was promised already. */
  wait(call: string, requestId: string, signal: AbortSignal): Promise<FutureResult>;
  /** Runs `work` within `ms` milliseconds; whatever fails is a WideseekError, cancellation the signal's reason. */
  within<T>(
    call: string,
    ms: number,
    signal: AbortSignal,
    work: (inner: AbortSignal) => Promise<T>,
  ): Promise<T>;
}

/** A server that says "not yet" at once must not be asked in a tight loop. */
const LEAST_POLL_MS = 50;

interface Reply {
  status: number;
  headers: { get(name: string): string | null };
  bytes: Uint8Array;
}

/** The wire's requests over HTTP, one request per call, nothing repeated except the poll of a future (408, 425). */
export function createWireHttp(options: WireHttpOptions): WireHttp {
  const root = `${options.baseUrl.replace(/\/+$/, '')}/api/v1`;
  if (!URL.canParse(root))
    throw new WideseekError('ConfigError', `baseUrl: "${options.baseUrl}" is no URL of an engine`);
  const service = `engine at ${new URL(root).host}`;
  const dispatcher = options.dispatcher ?? new Agent({ headersTimeout: 0, bodyTimeout: 0 });

  const context = (): ServiceContext => {
    const key = apiKey(options, service);
    return { keyEnv: options.apiKeyEnv, secrets: key === undefined ? [] : [key] };
  };

  async function send(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    signal: AbortSignal,
    body?: object | Uint8Array,
  ): Promise<Reply> {
    const key = apiKey(options, service);
    const raw = body instanceof Uint8Array;
    const reply = await request(`${root}/${path}`, {
      method,
      dispatcher,
      signal,
      ...(body !== undefined && { body: raw ? body : JSON.stringify(body) }),
      headers: {
        accept: `${PROTOBUF}, application/json`,
        ...(body !== undefined && { 'content-type': raw ? PROTOBUF : 'application/json' }),
        ...(key !== undefined && { 'x-api-key': key }),
      },
    });
    const header = (name: string): string | null => [reply.headers[name.toLowerCase()]].flat()[0] ?? null;
    return {
      status: reply.statusCode,
      headers: { get: header },
      bytes: new Uint8Array(await reply.body.arrayBuffer()),
    };
  }

  const sendBody = (call: string, body: object | Uint8Array, signal: AbortSignal): Promise<Reply> =>
    send('POST', call, signal, body);

  const accepted = (call: string, reply: Reply): Reply => {
    if (reply.status >= 200 && reply.status < 300) return reply;
    throw engineFailure(call, { ...reply, body: textOf(reply.bytes) }, service, context());
  };

  function json(call: string, reply: Reply): unknown {
    const type = reply.headers.get('content-type') ?? '';
    const text = textOf(reply.bytes);
    if (!/\bjson\b/i.test(type)) throw unreadableReply(call, type, text, service);
    return JSON.parse(text) as unknown;
  }

  async function wait(call: string, requestId: string, signal: AbortSignal): Promise<FutureResult> {
    for (;;) {
      const asked = Date.now();
      const reply = await sendBody('retrieve_future', { request_id: requestId }, signal);
      if (reply.status === 408 || reply.status === 425) {
        await sleep(Math.max(0, LEAST_POLL_MS - (Date.now() - asked)), undefined, { signal });
        continue;
      }
      if (reply.status === 404 && /future/i.test(textOf(reply.bytes)))
        throw new WideseekError('Overloaded', `${service}: ${call}: it no longer knows this request`, {
          hint: 'The engine was probably restarted while it worked',
        });
      const { bytes, headers } = accepted(call, reply);
      if ((headers.get('content-type') ?? '').startsWith(PROTOBUF)) return { kind: 'protobuf', bytes };
      return { kind: 'json', value: json(call, reply) };
    }
  }

  return {
    service,
    wait,
    post: async (call, body, schema, signal) =>
      schema.parse(json(call, accepted(call, await sendBody(call, body, signal)))),
    get: async (path, schema, signal) =>
      schema.parse(json(path, accepted(path, await send('GET', path, signal)))),
    remove: async (path, signal) => {
      accepted(path, await send('DELETE', path, signal));
    },
    run: async (call, body, signal) => {
      const reply = accepted(call, await sendBody(call, body, signal));
      return wait(call, futureSchema.parse(json(call, reply)).request_id, signal);
    },
    within: async (call, ms, signal, work) => {
      rethrowIfCancelled(signal);
      try {
        return await withDeadline(signal, ms, work);
      } catch (error) {
        rethrowIfCancelled(signal);
        throw toWideseekError(error, `${service}: ${call}`, context());
      }
    },
  };
}

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

function apiKey(options: WireHttpOptions, service: string): string | undefined {
  if (options.apiKeyEnv === undefined) return undefined;
  const key = (options.env ?? process.env)[options.apiKeyEnv];
  if (!key)
    throw new WideseekError(
      'ConfigError',
      `${service}: the environment variable ${options.apiKeyEnv} is empty`,
      {
        hint: "Set it to the engine's key, or remove apiKeyEnv",
      },
    );
  return key;
}
