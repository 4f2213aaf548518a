import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { APIConnectionError, APIConnectionTimeoutError, APIError, APIUserAbortError } from 'openai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { FAILURE_TYPES, RETRYABLE, WideseekError } from '../domain/errors.ts';
import {
  isContextOverflow,
  rethrowIfCancelled,
  toApplicationFailure,
  toWideseekError,
} from './provider-errors.ts';

const sdkError = (status: number, error: object, headers: Record<string, string> = {}): APIError =>
  APIError.generate(status, { error }, undefined, new Headers(headers));
const withCode = (code: string, message = 'x'): Error => Object.assign(new Error(message), { code });
const thrownBy = (action: () => unknown): unknown => {
  try {
    action();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
};

describe('toWideseekError', () => {
  it('reads status, message, code and delay of an SDK error', () => {
    const error = toWideseekError(sdkError(429, { message: 'slow down' }, { 'retry-after': '2' }), 'model m');
    expect(error).toMatchObject({ type: 'RateLimited', retryable: true, details: { retryAfterMs: 2000 } });
    expect(error.message).toBe('model m: HTTP 429: slow down');
    const quota = sdkError(429, { message: 'no', code: 'insufficient_quota' });
    expect(toWideseekError(quota, 'm').type).toBe('Unauthorized');
    const long = sdkError(400, { message: 'too big', code: 'context_length_exceeded' });
    expect(isContextOverflow(toWideseekError(long, 'm'))).toBe(true);
  });

  it('reads plain HTTP responses of fetch and undici', () => {
    expect(toWideseekError(new Response('busy', { status: 503 }), 'search').type).toBe('Overloaded');
    expect(toWideseekError({ statusCode: 403, headers: {}, body: 'no' }, 'search').type).toBe('Unauthorized');
  });

  it.each([
    ['ECONNREFUSED', 'Overloaded'],
    ['ECONNRESET', 'Overloaded'],
    ['ENOTFOUND', 'Overloaded'],
    ['UND_ERR_SOCKET', 'Overloaded'],
    ['ETIMEDOUT', 'Timeout'],
    ['UND_ERR_HEADERS_TIMEOUT', 'Timeout'],
    ['UND_ERR_BODY_TIMEOUT', 'Timeout'],
    ['HPE_INVALID_CONSTANT', 'BadReply'],
    ['ERR_INVALID_URL', 'ConfigError'],
    ['CERT_HAS_EXPIRED', 'ConfigError'],
  ])('finds %s below the layers of fetch and the SDK: %s', (code, type) => {
    const fetchError = new TypeError('fetch failed', { cause: withCode(code) });
    const wrapped = new APIConnectionError({ message: 'Connection error.', cause: fetchError });
    expect(toWideseekError(wrapped, 's').type).toBe(type);
    expect(toWideseekError(fetchError, 's').type).toBe(type);
  });

  it.each([
    ['SDK timeout', new APIConnectionTimeoutError(), 'Timeout'],
    ['SDK abort', new APIUserAbortError(), 'Timeout'],
    ['abort', new DOMException('stop', 'AbortError'), 'Timeout'],
    ['timeout signal', new DOMException('late', 'TimeoutError'), 'Timeout'],
    ['cut body', new TypeError('terminated'), 'Overloaded'],
    ['SDK connection error without a cause', new APIConnectionError({}), 'Overloaded'],
    ['truncated JSON', thrownBy(() => JSON.parse('{"choices": [')), 'BadReply'],
    ['wrong shape', thrownBy(() => z.object({ choices: z.array(z.string()) }).parse({})), 'BadReply'],
    ['a bug of ours', new RangeError('oops'), 'Internal'],
    ['a thrown string', 'oops', 'Internal'],
    ['nothing', undefined, 'Internal'],
  ])('reads %s', (_name, error, type) => {
    expect(toWideseekError(error, 's').type).toBe(type);
  });

  it('names the field of a reply that has the wrong shape', () => {
    const error = thrownBy(() => z.object({ usage: z.object({ n: z.number() }) }).parse({ usage: {} }));
    expect(toWideseekError(error, 's').message).toContain('usage.n');
  });

  it('returns our own errors as they are, also from below a wrapper', () => {
    const ours = new WideseekError('BadReply', 'x');
    expect(toWideseekError(ours, 's')).toBe(ours);
    expect(toWideseekError(new Error('wrapped', { cause: ours }), 's')).toBe(ours);
  });

  it('keeps no cause and no key', () => {
    const error = toWideseekError(new Error('sent Bearer abcdefghijkl to host'), 's');
    expect(error.cause).toBeUndefined();
    expect(error.message).not.toContain('abcdefghijkl');
  });

  it('survives a loop of causes', () => {
    const loop = new Error('loop');
    loop.cause = loop;
    expect(toWideseekError(loop, 's').type).toBe('Internal');
  });
});

describe('rethrowIfCancelled', () => {
  it('throws the reason of a cancellation, and nothing for a timeout or a live signal', () => {
    const cancelled = new CancelledFailure('cancelled by a person');
    expect(() => rethrowIfCancelled(AbortSignal.abort(cancelled))).toThrow(cancelled);
    expect(() => rethrowIfCancelled(AbortSignal.abort('why'))).toThrow(/cancelled/);
    const late = AbortSignal.abort(new DOMException('late', 'TimeoutError'));
    expect(() => rethrowIfCancelled(late)).not.toThrow();
    expect(() => rethrowIfCancelled(new AbortController().signal)).not.toThrow();
  });
});

describe('toApplicationFailure', () => {
  it('is retryable for exactly the retryable types and keeps the type', () => {
    for (const type of FAILURE_TYPES) {
      const failure = toApplicationFailure(new WideseekError(type, 'x'));
      expect(failure).toBeInstanceOf(ApplicationFailure);
      expect([failure.type, failure.nonRetryable]).toEqual([type, !RETRYABLE.has(type)]);
    }
  });

  it('carries the delay, and none where there is no retry', () => {
    const limited = new WideseekError('RateLimited', 'x', { retryAfterMs: 1500 });
    expect(toApplicationFailure(limited).nextRetryDelay).toBe(1500);
    const refused = new WideseekError('BadRequest', 'x', { retryAfterMs: 1500 });
    expect(toApplicationFailure(refused).nextRetryDelay).toBeUndefined();
  });

  it('carries no cause and no key', () => {
    const cause = new Error('Bearer abcdefghijkl');
    const failure = toApplicationFailure(new WideseekError('Internal', 'used sk-abcdefgh', { cause }));
    expect(failure.cause).toBeUndefined();
    expect(failure.message).not.toContain('abcdefgh');
  });

  it('lets a context overflow be recognised on the other side', () => {
    const overflow = toWideseekError({ status: 400, body: 'prompt is too long' }, 's');
    const failure = toApplicationFailure(overflow);
    expect(failure.details).toEqual([{ contextOverflow: true }]);
    expect(isContextOverflow(new Error('Activity task failed', { cause: failure }))).toBe(true);
    expect(isContextOverflow(new WideseekError('BadRequest', 'x'))).toBe(false);
    expect(isContextOverflow(undefined)).toBe(false);
  });
});
