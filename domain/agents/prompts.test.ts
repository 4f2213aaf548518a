import { describe, expect, it } from 'vitest';
import { composeMessages } from './compose.ts';
import { openingMessages, type PromptInput, turnHint } from './prompts.ts';
import { readTask } from './task.ts';
import { estimateTokens } from './text.ts';
import { toolsFor } from './tools.ts';

const input: PromptInput = {
  role: 'lead',
  language: 'en',
  question: 'Every moon?\n\nWith its radius.',
  subtask: null,
  answer: 'auto',
  today: '2026-01-02',
  width: 7,
  turns: 10,
};

describe('openingMessages', () => {
  it.each(['en', 'zh'] as const)(
    'carries question and subtask so that they can be read back (%s)',
    (language) => {
      expect(readTask(openingMessages({ ...input, language }))).toEqual({
        question: input.question,
        subtask: null,
        language,
      });
      const subtask = openingMessages({ ...input, language, role: 'subagent', subtask: 'Radius of Io' });
      expect(readTask(subtask)).toEqual({ question: input.question, subtask: 'Radius of Io', language });
    },
  );

  it('states the configured width and, unless told otherwise, the date', () => {
    expect(openingMessages(input)[0]!.content).toMatch(/up to 7 subagents[\s\S]*2026-01-02/);
    expect(openingMessages({ ...input, today: null })[0]!.content).not.toMatch(/2026/);
  });

  it('asks for the answer form of the mode', () => {
    expect(openingMessages({ ...input, answer: 'boxed' })[0]!.content).not.toMatch(/```markdown/);
    expect(openingMessages({ ...input, answer: 'table' })[0]!.content).not.toMatch(/boxed/);
  });

  it('says so when the first turn is also the last', () => {
    expect(openingMessages({ ...input, turns: 1 })[1]!.content).toMatch(/last turn/);
  });
});

describe('toolsFor', () => {
  it('puts the limit of the config into text and schema (R-22)', () => {
    const [tool] = toolsFor('lead', 4, 'en');
    expect(tool!.description).toMatch(/At most 4/);
    expect(tool!.parameters).toMatchObject({ properties: { sub_agents: { maxItems: 4 } } });
  });

  it('gives list forms to subagents and scalar forms to the single agent (spec 1.2)', () => {
    expect(
      toolsFor('subagent', 5, 'zh').map((tool) => Object.keys(tool.parameters.properties as object)),
    ).toEqual([['queries'], ['urls']]);
    expect(toolsFor('single', 1, 'en')[0]!.parameters).toMatchObject({ required: ['query'] });
  });
});

describe('composeMessages', () => {
  const hint = { language: 'en' as const, turn: 2, turns: 10, last: false };

  it('closes the last message with the turn hint', () => {
    const messages = composeMessages(
      [{ role: 'tool', callId: 'c', name: 'search', parts: [{ fixed: '', body: 'found' }] }],
      hint,
      1000,
    );
    expect(messages).toEqual([
      { role: 'tool', toolCallId: 'c', name: 'search', content: `found\n\n${turnHint('en', 2, 10, false)}` },
    ]);
  });

  it('makes a user message of the hint alone when there is nothing to say', () => {
    expect(composeMessages([], hint, 1000)).toEqual([{ role: 'user', content: '[Turn 2 of 10]' }]);
  });

  it('fits bodies to the budget but never cuts headings', () => {
    const parts = Array.from({ length: 5 }, (_, i) => ({
      fixed: `### Subagent ${i + 1}`,
      body: 'x'.repeat(5000),
    }));
    const [message] = composeMessages(
      [{ role: 'tool', callId: 'c', name: 'create_sub_agents', parts }],
      hint,
      400,
    );
    expect(estimateTokens(message!.content)).toBeLessThanOrEqual(400);
    for (let i = 1; i <= 5; i++) expect(message!.content).toContain(`### Subagent ${i}`);
    expect(message!.content).toMatch(/\[cut: \d+ of 5000 characters shown\]/);
  });
});
