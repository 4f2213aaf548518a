import { describe, expect, it } from 'vitest';
import type { ModelReply, ModelRequest } from './port.ts';
import { readReply } from './reply.ts';

const request: ModelRequest = {
  messages: [
    { role: 'user', content: 'hello' },
    { role: 'assistant', content: 'earlier' },
  ],
  tools: [],
  maxTokens: 10,
  temperature: 0,
  session: 's',
};
const usage = { prompt_tokens: 3, completion_tokens: 2 };
const read = (message: object, finish_reason: string | null = 'stop', rest: object = { usage }): ModelReply =>
  readReply({ choices: [{ message, finish_reason }], ...rest }, request, 'model m');
const call = (name: string, args: unknown, id?: string): object => ({
  id,
  function: { name, arguments: args },
});

describe('readReply', () => {
  it('reads text and usage', () => {
    expect(read({ content: ' hi ' })).toEqual({
      message: { role: 'assistant', content: 'hi' },
      finishReason: 'stop',
      usage: { promptTokens: 3, completionTokens: 2 },
    });
  });

  it('estimates usage where there is none', () => {
    const found = read({ content: 'some words' }, 'stop', {}).usage;
    expect(found.estimated).toBe(true);
    expect(found.promptTokens).toBeGreaterThan(0);
    expect(found.completionTokens).toBeGreaterThan(0);
  });

  it.each([
    ['in the text', { content: '<think>hm</think>hi' }],
    ['in reasoning_content', { content: 'hi', reasoning_content: 'hm' }],
    ['in reasoning', { content: 'hi', reasoning: 'hm' }],
  ])('splits off reasoning %s', (_where, message) => {
    expect(read(message).message).toEqual({ role: 'assistant', content: 'hi', reasoning: 'hm' });
  });

  it('takes native calls with the raw text of their arguments', () => {
    const reply = read({ content: null, tool_calls: [call('search', '{"query": "x"', 'abc')] }, 'tool_calls');
    expect(reply.finishReason).toBe('tool_calls');
    expect(reply.message.toolCalls).toEqual([{ id: 'abc', name: 'search', arguments: '{"query": "x"' }]);
  });

  it('makes up ids that are missing or doubled, and takes arguments that are an object', () => {
    const list = [call('a', '{}', 'same'), call('b', { q: 1 }, 'same'), call('c', null)];
    expect(read({ tool_calls: list }).message.toolCalls).toEqual([
      { id: 'same', name: 'a', arguments: '{}' },
      { id: 'call_1_1', name: 'b', arguments: '{"q":1}' },
      { id: 'call_1_2', name: 'c', arguments: '{}' },
    ]);
  });

  it('reads calls written as text, but none that the model only thought of (R-21)', () => {
    const block = (name: string): string => `<tool_call>{"name":"${name}","arguments":{}}</tool_call>`;
    const reply = read({ content: `<think>perhaps ${block('thought')}</think>Now. ${block('real')}` });
    expect(reply.message.content).toBe('Now.');
    expect(reply.message.toolCalls).toEqual([{ id: 'call_1_0', name: 'real', arguments: '{}' }]);
    expect(reply.message.reasoning).toContain('thought');
    expect(reply.finishReason).toBe('tool_calls');
  });

  it('keeps a reply that the limit cut, also one that is only reasoning', () => {
    expect(read({ content: '<think>on and on' }, 'length')).toMatchObject({
      finishReason: 'length',
      message: { content: '', reasoning: 'on and on' },
    });
    expect(read({ content: null }, 'length').finishReason).toBe('length');
    expect(read({ tool_calls: [call('a', '{"q', 'x')] }, 'length').finishReason).toBe('length');
  });

  it('takes a refusal as text', () => {
    expect(read({ content: null, refusal: 'I cannot.' }).message.content).toBe('I cannot.');
  });
});

describe('replies that cannot be read', () => {
  const failure = (body: unknown): unknown => {
    try {
      return readReply(body, request, 'model m');
    } catch (error) {
      return error;
    }
  };

  it.each([
    ['nothing', undefined, 'BadReply'],
    ['an empty body', '', 'BadReply'],
    ['HTML', '\n<!doctype html><p>hi</p>', 'BadReply'],
    ['text', 'upstream closed', 'BadReply'],
    ['no choices', { choices: [] }, 'BadReply'],
    ['no message', { choices: [{ finish_reason: 'stop' }] }, 'BadReply'],
    ['empty content', { choices: [{ message: { content: '' }, finish_reason: 'stop' }] }, 'BadReply'],
    ['only reasoning', { choices: [{ message: { content: '<think>a</think> ' } }] }, 'BadReply'],
    [
      'a filtered reply',
      { choices: [{ message: { content: '' }, finish_reason: 'content_filter' }] },
      'BadRequest',
    ],
    ['a wrapped rate limit', { error: { message: 'slow', code: 429 } }, 'RateLimited'],
    ['a wrapped refusal', { error: { message: 'no', code: '401' }, choices: [] }, 'Unauthorized'],
    ['a wrapped failure without a status', { error: 'upstream died' }, 'Overloaded'],
  ])('reports %s', (_name, body, type) => {
    expect(failure(body)).toMatchObject({ name: 'WideseekError', type });
  });

  it('says which field is wrong, and where to look when a page came back', () => {
    expect(failure({ choices: [{ message: { content: 5 } }] })).toMatchObject({
      message: expect.stringContaining('choices.0.message.content') as string,
    });
    expect(failure('<html></html>')).toMatchObject({ message: expect.stringContaining('/v1') as string });
  });

  it('reads JSON that was sent with the wrong content type', () => {
    const body = JSON.stringify({ choices: [{ message: { content: 'hi' } }], usage });
    expect(readReply(body, request, 'm').message.content).toBe('hi');
  });
});
