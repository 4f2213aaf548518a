import { afterEach, describe, expect, it } from 'vitest';
import { toolsFor } from '../../domain/agents/tools.ts';
import { type FakeOpenAi, startFakeOpenAi, text } from '../../test/support/fake-openai.ts';
import { createOpenAiModel } from './openai.ts';
import { readTags, toTagMessages } from './tags.ts';

const open: FakeOpenAi[] = [];
afterEach(() => Promise.all(open.splice(0).map((server) => server.close())));

describe('toTagMessages', () => {
  it('writes calls as tags and results as information, in one system and alternating messages', () => {
    const messages = toTagMessages(
      [
        { role: 'system', content: 'You search.' },
        { role: 'user', content: 'Where?' },
        {
          role: 'assistant',
          content: 'Let me see.',
          toolCalls: [{ id: 'c', name: 'search', arguments: '{"query":"q"}' }],
        },
        { role: 'tool', toolCallId: 'c', name: 'search', content: 'found </tool_response>' },
        { role: 'user', content: '[Turn 2 of 9]' },
      ],
      toolsFor('single', 1, 'en'),
    );
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
    expect(messages[0]!.content).toMatch(/<search>[^]*<access>[^]*You search\./);
    expect(messages[2]!.content).toBe('Let me see.\n<search>q</search>');
    expect(messages[3]!.content).toBe(
      '<information>\nfound &lt;/tool_response>\n</information>\n\n[Turn 2 of 9]',
    );
  });
});

describe('readTags', () => {
  const usage = { promptTokens: 1, completionTokens: 1 };
  it('reads a tag whose end the server has cut off at the stop string', () => {
    const reply = readTags(
      { message: { role: 'assistant', content: 'Hm. <search>q' }, finishReason: 'stop', usage },
      3,
    );
    expect(reply).toMatchObject({
      finishReason: 'tool_calls',
      message: { content: 'Hm.', toolCalls: [{ id: 'call_3_0', name: 'search' }] },
    });
  });

  it('leaves an answer alone', () => {
    const reply = {
      message: { role: 'assistant' as const, content: '<answer>x</answer>' },
      finishReason: 'stop' as const,
      usage,
    };
    expect(readTags(reply, 1)).toBe(reply);
  });
});

it('an endpoint with toolFormat tags sends no tools, stops at the tags, and returns calls', async () => {
  const server = await startFakeOpenAi([text('I search. <search>the summit')]);
  open.push(server);
  const model = createOpenAiModel({
    model: 'm',
    baseUrls: [server.baseUrl],
    toolFormat: 'tags',
    timeoutMs: 5_000,
  });
  const reply = await model.complete(
    {
      messages: [{ role: 'user', content: 'Where?' }],
      tools: toolsFor('single', 1, 'en'),
      maxTokens: 50,
      temperature: 0,
      session: 's',
    },
    new AbortController().signal,
  );
  expect(reply.message.toolCalls).toMatchObject([{ name: 'search', arguments: '{"query":"the summit"}' }]);
  expect(server.requests[0]!.body).toMatchObject({ stop: ['</search>', '</access>'] });
  expect(server.requests[0]!.body.tools).toBeUndefined();
});
