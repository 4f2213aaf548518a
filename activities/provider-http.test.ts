import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CONTEXT_OVERFLOW_PREFIX, fromHttp, providerMessage } from './provider-http.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');

describe('fromHttp', () => {
  it.each([
    [400, 'BadRequest'],
    [401, 'Unauthorized'],
    [402, 'Unauthorized'],
    [403, 'Unauthorized'],
    [404, 'BadRequest'],
    [408, 'Timeout'],
    [409, 'Overloaded'],
    [413, 'BadRequest'],
    [422, 'BadRequest'],
    [429, 'RateLimited'],
    [500, 'Overloaded'],
    [502, 'Overloaded'],
    [503, 'Overloaded'],
    [504, 'Timeout'],
    [529, 'Overloaded'],
  ])('reads %i as %s', (status, type) => {
    expect(fromHttp({ status, body: 'x' }, 'judge').type).toBe(type);
  });

  it('names the service, the status, the message and the variable, never the key', () => {
    const error = fromHttp(
      { status: 401, body: '{"error":{"message":"Incorrect API key provided: sk-abcdef123456"}}' },
      'model qwen',
      { keyEnv: 'QWEN_KEY' },
    );
    expect(error.message).toMatch(/^model qwen: HTTP 401: Incorrect API key provided: \[redacted\]/);
    expect(error.message).toContain('QWEN_KEY');
    expect(error.message).not.toContain('abcdef');
  });

  it('removes a known secret from an echo', () => {
    const error = fromHttp({ status: 400, body: 'no such user: plainsecret' }, 's', {
      secrets: ['plainsecret'],
    });
    expect(error.message).not.toContain('plainsecret');
  });

  it('cuts error pages to one readable line', () => {
    const body = `<html><style>b { x: y }</style>\n<body><h1>502</h1>\n${'Bad Gateway '.repeat(200)}</body></html>`;
    const { message } = fromHttp({ status: 502, body }, 's');
    expect(message).toContain('502 Bad Gateway');
    expect(message).not.toMatch(/[<>\n]/);
    expect(message.length).toBeLessThan(600);
  });
});

describe('delays', () => {
  const delay = (headers: Record<string, string>, status = 429): number | undefined =>
    fromHttp({ status, headers }, 's', { now: NOW }).details.retryAfterMs;

  it.each([
    [{ 'retry-after': '7' }, 7000],
    [{ 'Retry-After': '1.5' }, 1500],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' }, 30_000],
    [{ 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' }, 0],
    [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
    [{ 'retry-after-ms': 'soon', 'retry-after': '9' }, 9000],
    [{ 'retry-after': 'later' }, undefined],
    [{ 'retry-after': '-3' }, undefined],
    [{}, undefined],
  ])('reads %j as %s ms', (headers, expected) => {
    expect(delay({ ...headers })).toBe(expected);
  });

  it('reads fetch headers and array values, also on a 503', () => {
    const headers = new Headers({ 'Retry-After': '3' });
    expect(fromHttp({ status: 503, headers }, 's').details.retryAfterMs).toBe(3000);
    expect(fromHttp({ status: 429, headers: { 'retry-after': ['4', '5'] } }, 's').details.retryAfterMs).toBe(
      4000,
    );
  });

  it('is never negative or NaN, whatever the header says', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (seconds, millis) => {
        const found = delay({ 'retry-after': seconds, 'retry-after-ms': millis });
        expect(found === undefined || (Number.isFinite(found) && found >= 0)).toBe(true);
      }),
    );
  });
});

describe('advice of the provider', () => {
  it('does not retry what the provider says not to retry', () => {
    for (const status of [408, 429, 500, 503]) {
      const error = fromHttp({ status, headers: { 'x-should-retry': 'false' } }, 's');
      expect([error.type, error.retryable]).toEqual(['BadRequest', false]);
    }
  });

  it('retries a 400 that the provider calls passing, but not a refused key', () => {
    const headers = { 'x-should-retry': 'true' };
    expect(fromHttp({ status: 400, headers }, 's').type).toBe('Overloaded');
    expect(fromHttp({ status: 401, headers }, 's').type).toBe('Unauthorized');
  });

  it('tells an empty account from a rate limit', () => {
    const body = '{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}';
    const error = fromHttp({ status: 429, body }, 's', { keyEnv: 'OPENAI_API_KEY' });
    expect([error.type, error.retryable]).toEqual(['Unauthorized', false]);
    expect(error.message).toContain('credit');
  });
});

describe('context overflow', () => {
  it.each([
    [400, "This model's maximum context length is 4097 tokens. However, you requested 4203 tokens"],
    [400, 'max_tokens must be at least 1, got -186.'],
    [400, "Requested token count exceeds the model's maximum context length of 32768 tokens."],
    [400, "The input (150000 tokens) is longer than the model's context length (128000 tokens)."],
    [500, 'the request exceeds the available context size, try increasing it'],
    [400, 'request (5212 tokens) exceeds the available context size (4096 tokens)'],
    [413, 'prompt is too long: 215000 tokens > 200000 maximum'],
    [400, "This model's maximum prompt length is 131072 but the request contains 537812 tokens"],
    [400, '{"error":{"message":"too big","code":"context_length_exceeded"}}'],
    [400, 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).'],
  ])('recognises %i %s', (status, body) => {
    const error = fromHttp({ status, body }, 's');
    expect(error.type).toBe('BadRequest');
    expect(error.message.startsWith(CONTEXT_OVERFLOW_PREFIX)).toBe(true);
  });

  it.each([
    [400, 'temperature must be at most 2'],
    [404, 'The model `qwen` does not exist'],
    [429, 'Rate limit reached: reduce the length of the messages or wait'],
    [400, 'max_tokens must be at least 1, got 0'],
  ])('does not see one in %i %s', (status, body) => {
    expect(fromHttp({ status, body }, 's').message).not.toContain(CONTEXT_OVERFLOW_PREFIX);
  });
});

describe('providerMessage', () => {
  it.each([
    ['{"error":{"message":"a"}}', 'a'],
    ['{"error":"b"}', 'b'],
    ['{"object":"error","message":"c","code":400}', 'c'],
    ['{"detail":"d"}', 'd'],
    ['{"detail":[{"loc":["body"],"msg":"e"}]}', '[{"loc":["body"],"msg":"e"}]'],
    ['{"status":"?"}', '{"status":"?"}'],
    ['plain', 'plain'],
    ['', ''],
  ])('finds the words in %s', (body, expected) => {
    expect(providerMessage(body)).toBe(expected);
  });
});
