import { CancelledFailure } from '@temporalio/common';
import { afterEach, describe, expect, it } from 'vitest';
import { WideseekError } from '../../domain/errors.ts';
import {
  type Behaviour,
  calls,
  empty,
  type FakeOpenAi,
  html,
  rateLimited,
  type Script,
  startFakeOpenAi,
  text,
} from '../../test/support/fake-openai.ts';
import { isContextOverflow, toApplicationFailure } from '../provider-errors.ts';
import { createOpenAiModel, type OpenAiModel, type OpenAiOptions } from './openai.ts';
import type { ModelRequest } from './port.ts';

const open: FakeOpenAi[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});
const KEY = 'test-key-0123456789';

const start = async (script: Script): Promise<FakeOpenAi> => {
  const server = await startFakeOpenAi(script);
  open.push(server);
  return server;
};
const modelFor = (servers: FakeOpenAi[], options: Partial<OpenAiOptions> = {}): OpenAiModel =>
  createOpenAiModel({
    model: 'qwen',
    baseUrls: servers.map((server) => server.baseUrl),
    apiKeyEnv: 'QWEN_KEY',
    env: { QWEN_KEY: KEY },
    toolFormat: 'native',
    timeoutMs: 5000,
    ...options,
  });
const request = (overrides: Partial<ModelRequest> = {}): ModelRequest => ({
  messages: [{ role: 'user', content: 'hello' }],
  tools: [],
  maxTokens: 50,
  temperature: 0.5,
  session: 'run/lead',
  ...overrides,
});
const never = new AbortController().signal;
const search = { name: 'search', description: 'Searches.', parameters: { type: 'object' } };
const failureOf = async (behaviour: Behaviour, options?: Partial<OpenAiOptions>): Promise<WideseekError> => {
  const server = await start([behaviour]);
  const error: unknown = await modelFor([server], options)
    .complete(request(), never)
    .catch((thrown: unknown) => thrown);
  expect(server.requests).toHaveLength(1);
  expect(server.problems).toEqual([]);
  if (error instanceof WideseekError) return error;
  throw new Error(`expected a WideseekError, got ${String(error)}`);
};

describe('a request', () => {
  it('carries what was asked for, and the key', async () => {
    const server = await start([text('hi')]);
    const reply = await modelFor([server]).complete(request({ tools: [search], seed: 7 }), never);
    expect(reply).toEqual({
      message: { role: 'assistant', content: 'hi' },
      finishReason: 'stop',
      usage: { promptTokens: 10, completionTokens: 5 },
    });
    expect(server.requests[0]?.authorization).toBe(`Bearer ${KEY}`);
    expect(server.requests[0]?.body).toEqual({
      model: 'qwen',
      messages: [{ role: 'user', content: 'hello' }],
      max_tokens: 50,
      temperature: 0.5,
      seed: 7,
      tools: [{ type: 'function', function: search }],
    });
  });

  it('sends no key where none is configured, whatever the environment holds', async () => {
    process.env.OPENAI_API_KEY = 'sk-somebody-elses';
    try {
      const server = await start([text('hi')]);
      await modelFor([server], { apiKeyEnv: undefined }).complete(request(), never);
      expect(server.requests[0]?.authorization).toBeUndefined();
    } finally {
      delete process.env.OPENAI_API_KEY;
    }
  });

  it('lets extraBody add, replace and remove fields', async () => {
    const server = await start([text('hi')]);
    const extraBody = {
      max_tokens: null,
      max_completion_tokens: 9,
      temperature: 1,
      chat_template_kwargs: { enable_thinking: false },
    };
    await modelFor([server], { extraBody }).complete(request(), never);
    const body = server.requests[0]?.body;
    expect(body).toMatchObject({
      max_completion_tokens: 9,
      temperature: 1,
      chat_template_kwargs: { enable_thinking: false },
    });
    expect(body).not.toHaveProperty('max_tokens');
  });

  it('refuses to be built or called without what it needs', async () => {
    expect(() => modelFor([])).toThrow(/baseUrls/);
    const server = await start([]);
    expect(() => modelFor([server], { model: '' })).toThrow(/model/);
    await expect(modelFor([server], { env: {} }).complete(request(), never)).rejects.toMatchObject({
      type: 'Unauthorized',
      message: expect.stringContaining('QWEN_KEY') as string,
    });
    expect(server.requests).toHaveLength(0);
  });
});

describe('tool calls', () => {
  it('are read in the native form, malformed ones with their raw text', async () => {
    const server = await start([
      calls({ name: 'search', arguments: { query: 'x' } }, { name: 'search', arguments: '{"query": ' }),
    ]);
    const reply = await modelFor([server]).complete(request({ tools: [search] }), never);
    expect(reply.finishReason).toBe('tool_calls');
    expect(reply.message.toolCalls).toEqual([
      { id: 'call_0_0', name: 'search', arguments: '{"query":"x"}' },
      { id: 'call_0_1', name: 'search', arguments: '{"query": ' },
    ]);
  });

  it('go round in the Hermes form, without the tools field', async () => {
    const server = await start([
      text('<think>hm</think>\n<tool_call>\n{"name": "search", "arguments": {"query": "x"}}\n</tool_call>'),
      text('done'),
    ]);
    const model = modelFor([server], { toolFormat: 'hermes' });
    const first = request({ tools: [search] });
    const reply = await model.complete(first, never);
    const [call] = reply.message.toolCalls ?? [];
    expect(call).toEqual({ id: 'call_0_0', name: 'search', arguments: '{"query":"x"}' });
    expect(reply.message).toMatchObject({ content: '', reasoning: 'hm' });

    const result = {
      role: 'tool',
      toolCallId: 'call_0_0',
      name: 'search',
      content: '</tool_response>x',
    } as const;
    await model.complete(request({ messages: [...first.messages, reply.message, result] }), never);
    expect(server.requests[0]?.body).not.toHaveProperty('tools');
    expect(server.requests[0]?.body.messages[0]?.content).toContain('"name":"search"');
    expect(server.requests[1]?.body.messages.map((message) => [message.role, message.content])).toEqual([
      ['user', 'hello'],
      ['assistant', '<tool_call>\n{"name": "search", "arguments": {"query":"x"}}\n</tool_call>'],
      ['user', '<tool_response>\n&lt;/tool_response>x\n</tool_response>'],
    ]);
  });
});

describe('failures: one request each, typed, never retried here', () => {
  const status = (code: number, message: string): Behaviour => ({ kind: 'status', status: code, message });
  it.each<[string, Behaviour, string]>([
    ['401', status(401, 'bad key'), 'Unauthorized'],
    ['403', status(403, 'no access'), 'Unauthorized'],
    ['400', status(400, 'bad field'), 'BadRequest'],
    ['404', status(404, 'no such model'), 'BadRequest'],
    ['422', status(422, 'bad value'), 'BadRequest'],
    ['408', status(408, 'too slow'), 'Timeout'],
    ['500 that speaks of time', status(500, 'upstream timed out'), 'Overloaded'],
    ['503', status(503, 'busy'), 'Overloaded'],
    ['a reset connection', { kind: 'reset' }, 'Overloaded'],
    ['a cut body', { kind: 'cut' }, 'Overloaded'],
    ['truncated JSON', { kind: 'truncated' }, 'BadReply'],
    ['HTML with 200', html(), 'BadReply'],
    ['no choices', empty('choices'), 'BadReply'],
    ['no content', empty('content'), 'BadReply'],
  ])('%s', async (_name, behaviour, type) => {
    const error = await failureOf(behaviour);
    expect(error.type).toBe(type);
    expect(error.message).toMatch(/model qwen at 127\.0\.0\.1:\d+/);
  });

  it('carries the delay of a rate limit to Temporal', async () => {
    const error = await failureOf(rateLimited('3'));
    expect(toApplicationFailure(error)).toMatchObject({
      type: 'RateLimited',
      nonRetryable: false,
      nextRetryDelay: 3000,
    });
  });

  it('knows an empty account from a rate limit', async () => {
    const error = await failureOf({ kind: 'status', status: 429, message: 'x', code: 'insufficient_quota' });
    expect(toApplicationFailure(error)).toMatchObject({ type: 'Unauthorized', nonRetryable: true });
  });

  it.each<[string, string]>([
    ['OpenAI', '{"error":{"message":"too long","code":"context_length_exceeded"}}'],
    ['vLLM', `{"error":{"message":"This model's maximum context length is 8 tokens.","code":400}}`],
    [
      'SGLang',
      `{"object":"error","message":"Requested token count exceeds the model's maximum context length"}`,
    ],
    ['llama.cpp', '{"error":{"code":400,"message":"x","type":"exceed_context_size_error"}}'],
    ['plain text', 'prompt is too long'],
  ])('recognises a context overflow of %s', async (_server, body) => {
    const error = await failureOf({ kind: 'raw', status: 400, body });
    expect(isContextOverflow(error)).toBe(true);
    expect(error.retryable).toBe(false);
  });

  it('never repeats the key that a server echoes', async () => {
    const error = await failureOf({ kind: 'status', status: 401, message: `key ${KEY} is unknown` });
    expect(JSON.stringify([error.message, error.stack, error.cause, error.details])).not.toContain(KEY);
    expect(error.message).toContain('QWEN_KEY');
  });

  it('reports a server that is not there', async () => {
    const server = await start([]);
    await server.close();
    await expect(modelFor([server]).complete(request(), never)).rejects.toMatchObject({ type: 'Overloaded' });
  });
});

describe('deadline and cancellation', () => {
  it.each<[string, Behaviour]>([
    ['a stalled request', { kind: 'stall' }],
    ['a body that drips', { kind: 'reply', content: 'slow', chunkMs: 3_000 }],
  ])('ends %s at the deadline', async (_name, behaviour) => {
    const before = performance.now();
    const error = await failureOf(behaviour, { timeoutMs: 200 });
    expect(error.type).toBe('Timeout');
    expect(performance.now() - before).toBeLessThan(10_000);
  });

  it.each<[string, Behaviour]>([
    ['a stalled request', { kind: 'stall' }],
    ['a body that drips', { kind: 'reply', content: 'slow', chunkMs: 100 }],
  ])('throws the reason when %s is cancelled', async (_name, behaviour) => {
    const server = await start([behaviour]);
    const controller = new AbortController();
    const answer = modelFor([server]).complete(request(), controller.signal);
    setTimeout(() => controller.abort(new CancelledFailure('by a person')), 150);
    await expect(answer).rejects.toBeInstanceOf(CancelledFailure);
  });

  it('sends nothing when it was cancelled before', async () => {
    const server = await start([]);
    const signal = AbortSignal.abort(new CancelledFailure('before'));
    await expect(modelFor([server]).complete(request(), signal)).rejects.toThrow('before');
    expect(server.requests).toHaveLength(0);
  });
});

describe('replicas', () => {
  it('keeps a session on one replica and spreads sessions', async () => {
    const servers = [await start(() => text('a')), await start(() => text('b'))];
    const model = modelFor(servers);
    const answers = new Map<string, Set<string>>();
    for (let index = 0; index < 60; index++) {
      const session = `run/sub/${index % 20}`;
      const { message } = await model.complete(request({ session }), never);
      answers.set(session, (answers.get(session) ?? new Set()).add(message.content));
    }
    expect([...answers.values()].every((seen) => seen.size === 1)).toBe(true);
    expect(servers.map((server) => server.requests.length).every((count) => count > 0)).toBe(true);
  });

  it('goes to another replica for the next call after one has dropped the connection', async () => {
    const servers = [await start(() => text('up')), await start(() => text('up'))];
    const model = modelFor(servers);
    await model.complete(request(), never);
    const busy = servers.find((server) => server.requests.length === 1);
    await busy?.close();
    await expect(model.complete(request(), never)).rejects.toMatchObject({ type: 'Overloaded' });
    const reply = await model.complete(request(), never);
    expect(reply.message.content).toBe('up');
  });
});
