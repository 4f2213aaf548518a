import { describe, expect, it } from 'vitest';
import { composeMessages } from './compose.ts';
import { openingMessages } from './prompts.ts';
import { terseHits, terseNote, terseReportHeading } from './terse.ts';

const opening = {
  language: 'en' as const,
  question: 'Every moon?',
  answer: 'table' as const,
  today: '2026-01-02',
  width: 7,
  turns: 1,
  style: 'terse' as const,
};
const hint = { language: 'en' as const, turn: 2, turns: 3, last: true, style: 'terse' as const };

describe('the terse style', () => {
  it('opens with the role and the task, and nothing of the configuration', () => {
    expect(openingMessages({ ...opening, role: 'lead', subtask: null })).toEqual([
      { role: 'system', content: 'lead' },
      { role: 'user', content: 'Question: Every moon?' },
    ]);
    expect(openingMessages({ ...opening, role: 'subagent', subtask: 'Radius of Io' })[1]).toEqual({
      role: 'user',
      content: 'Task: Radius of Io',
    });
  });

  it('puts reports line by line, without a turn hint', () => {
    const parts = [
      { fixed: '', body: '| Io | 1821 |' },
      { fixed: terseReportHeading('turn_limit'), body: 'none' },
    ];
    const messages = composeMessages([{ role: 'tool', callId: 'c', name: 'x', parts }], hint, 1000);
    expect(messages).toMatchObject([{ content: '| Io | 1821 |\n[turn_limit]\nnone' }]);
  });

  it('never ends on the assistant’s own words', () => {
    expect(composeMessages([], hint, 1000)).toMatchObject([{ role: 'user' }]);
  });

  it('says that something was wrong in a word and keeps what a person said', () => {
    expect(terseNote('Error: "queries" must be a non-empty array of objects')).toBe('error');
    expect(terseNote('Look at Jupiter too')).toBe('Look at Jupiter too');
  });

  it('lists passages alone', () => {
    expect(terseHits(['Io is a moon.', 'So is Rhea.'])).toBe('- Io is a moon.\n- So is Rhea.');
    expect(terseHits([])).toBe('none');
  });
});
