import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitReasoning } from './reasoning.ts';

describe('splitReasoning', () => {
  it.each([
    ['plain', 'plain', ''],
    ['<think>\nhm\n</think>\n\nanswer', 'answer', 'hm'],
    ['hm, the prompt opened it\n</think>\nanswer', 'answer', 'hm, the prompt opened it'],
    ['<think>cut by the lim', '', 'cut by the lim'],
    ['<think></think>answer', 'answer', ''],
    ['<think>a</think>one <think>b</think>two', 'one \ntwo', 'a\n\nb'],
    ['a</think>one<think>b</think>two', 'one\ntwo', 'a\n\nb'],
    ['<think>a</think>b</think>c', 'c', 'a\n\nb'],
    ['', '', ''],
  ])('splits %j', (text, content, reasoning) => {
    expect(splitReasoning(text)).toEqual({ content, reasoning });
  });

  it('never leaves a tag in the content and never throws', () => {
    const piece = fc.oneof(fc.constantFrom('<think>', '</think>', 'text', '\n'), fc.string());
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const { content } = splitReasoning(pieces.join(''));
        expect(content).not.toContain('</think>');
        expect(splitReasoning(content)).toEqual({ content, reasoning: '' });
      }),
    );
  });
});
