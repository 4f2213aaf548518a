import { describe, expect, it } from 'vitest';
import type { Message } from '../../domain/agents/messages.ts';
import { estimateUsage } from './estimate.ts';

describe('estimateUsage', () => {
  const user: Message = { role: 'user', content: 'List every country in South America.' };
  const call: Message = {
    role: 'assistant',
    content: '',
    toolCalls: [{ id: '1', name: 'search', arguments: '{"query":"a query of several words"}' }],
  };
  const tool = { name: 'search', description: 'Searches the web.', parameters: { type: 'object' } };
  const prompt = (...args: Parameters<typeof estimateUsage>): number => estimateUsage(...args).promptTokens;

  it('grows with every message, call and tool', () => {
    const plain = prompt([user], [], '');
    expect(plain).toBeGreaterThan(7);
    expect(prompt([user, user], [], '')).toBe(2 * plain);
    expect(prompt([user, call], [], '')).toBeGreaterThan(plain + 15);
    expect(prompt([user], [tool], '')).toBeGreaterThan(plain + 10);
  });

  it('counts the reply and says that it is an estimate', () => {
    expect(estimateUsage([], [], 'four words of text')).toEqual({
      promptTokens: 0,
      completionTokens: 5,
      estimated: true,
    });
  });
});
