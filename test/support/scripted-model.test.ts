import { describe, expect, it } from 'vitest';
import type { ModelRequest } from '../../activities/model/port.ts';
import { WideseekError } from '../../domain/errors.ts';
import { scriptedModel } from './scripted-model.ts';

const request = (content: string, session = 's'): ModelRequest => ({
  messages: [{ role: 'user', content }],
  tools: [],
  maxTokens: 100,
  temperature: 0,
  session,
});
const never = new AbortController().signal;

describe('scriptedModel', () => {
  it('plays a queue of texts, calls and errors', async () => {
    const model = scriptedModel([
      'hello',
      { calls: [{ name: 'search', arguments: { query: 'x' } }], reasoning: 'hm' },
      new WideseekError('RateLimited', 'slow'),
    ]);
    expect(await model.complete(request('a'), never)).toMatchObject({
      message: { role: 'assistant', content: 'hello' },
      finishReason: 'stop',
    });
    const second = await model.complete(request('b'), never);
    expect(second.finishReason).toBe('tool_calls');
    expect(second.message.toolCalls).toEqual([
      { id: 'call_2_0', name: 'search', arguments: '{"query":"x"}' },
    ]);
    expect(second.message.reasoning).toBe('hm');
    expect(model.remaining()).toBe(1);
    await expect(model.complete(request('c'), never)).rejects.toThrow('slow');
    expect(model.requests.map((asked) => asked.messages[0]?.content)).toEqual(['a', 'b', 'c']);
  });

  it('fails loudly when the turns run out, with a failure that nobody retries', async () => {
    const model = scriptedModel(['only']);
    await model.complete(request('a'), never);
    await expect(model.complete(request('what now?'), never)).rejects.toMatchObject({
      type: 'Internal',
      retryable: false,
    });
    expect(model.overruns[0]).toMatch(/no turn 2.*what now\?/);
  });

  it('keeps a queue per session, or per key', async () => {
    const model = scriptedModel({ lead: ['L'], sub: (_asked, n) => `S${n}` });
    expect((await model.complete(request('a', 'sub'), never)).message.content).toBe('S0');
    expect((await model.complete(request('a', 'lead'), never)).message.content).toBe('L');
    expect((await model.complete(request('a', 'sub'), never)).message.content).toBe('S1');
    await expect(model.complete(request('a', 'other'), never)).rejects.toThrow('"other"');
    const keyed = scriptedModel({ a: ['A'] }, { keyOf: (asked) => asked.messages[0]?.content ?? '' });
    expect((await keyed.complete(request('a'), never)).message.content).toBe('A');
  });

  it('stops at once when it is aborted', async () => {
    const model = scriptedModel(['late'], { delayMs: 60_000 });
    const controller = new AbortController();
    const answer = model.complete(request('a'), controller.signal);
    controller.abort(new Error('cancelled'));
    await expect(answer).rejects.toThrow('cancelled');
  });
});
