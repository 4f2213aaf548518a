import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTags, printTag } from './tags.ts';

const callIn = (text: string) => {
  const { calls } = parseTags(text, 'c');
  return calls[0] && { name: calls[0].name, ...(JSON.parse(calls[0].arguments) as object) };
};

describe('parseTags', () => {
  it.each([
    ['so <search>a b</search>', { name: 'search', query: 'a b' }],
    ['<access>https://e.example</access>', { name: 'access', url: 'https://e.example', info_to_extract: '' }],
    ['<search>a</search> no, <search>b</search>', { name: 'search', query: 'b' }],
    ['<answer>x</answer><search>a</search>', { name: 'search', query: 'a' }],
    ['<access>u</access><search>a</search>', { name: 'search', query: 'a' }],
    ['<search>cut off', { name: 'search', query: 'cut off' }],
    ['<search>two\nlines</sear', { name: 'search', query: 'two\nlines' }],
    ['<|begin_of_query|>old form<|end_of_query|>', { name: 'search', query: 'old form' }],
    ['<think>maybe <search>x</search></think><search>y</search>', { name: 'search', query: 'y' }],
    ['<think>so <search>x</search></think>', { name: 'search', query: 'x' }],
    [
      '<search>a</search><information>made up</information><search>b</search>',
      { name: 'search', query: 'a' },
    ],
  ])('%s', (text, expected) => expect(callIn(text)).toMatchObject(expected));

  it('finds no call in an empty tag or in an answer', () => {
    expect(callIn('<search> </search>')).toBeUndefined();
    expect(parseTags('well <answer>it</answer>', 'c')).toEqual({
      content: 'well <answer>it</answer>',
      calls: [],
      answer: 'it',
    });
  });

  it('leaves the thought and drops the action', () => {
    expect(parseTags('I wonder. <search>a</search>', 'c').content).toBe('I wonder.');
  });

  it('reads back what it prints', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('search', 'access'),
        fc.string({ minLength: 1 }).filter((text) => text.trim() === text && !/[<>|]/.test(text)),
        (name, text) => {
          const args = name === 'search' ? { query: text } : { url: text };
          const tag = printTag({ id: 'c', name, arguments: JSON.stringify(args) })!;
          expect(callIn(`thought ${tag}`)).toMatchObject({ name, ...args });
        },
      ),
    );
    expect(printTag({ id: 'c', name: 'search', arguments: 'oops' })).toBeNull();
    expect(printTag({ id: 'c', name: 'create_sub_agents', arguments: '{}' })).toBeNull();
  });
});
