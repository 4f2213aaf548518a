import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chunkText, countWords, firstWords } from './chunk.ts';

const squeeze = (text: string): string => text.replace(/\s+/g, '');

describe('chunkText', () => {
  it('prefers line ends to sentence ends to word ends', () => {
    expect(chunkText('one two\nthree four\nfive', 4)).toEqual(['one two\nthree four', 'five']);
    expect(chunkText('A b c. D e f. G h.', 5)).toEqual(['A b c.', 'D e f. G h.']);
    expect(chunkText('a b c d e', 2)).toEqual(['a b', 'c d', 'e']);
  });

  it('cuts Chinese by character and at its full stops', () => {
    expect(chunkText('北京是首都。上海是港口。', 6)).toEqual(['北京是首都。', '上海是港口。']);
    expect(countWords('北京 is 首都')).toBe(5);
  });

  it('loses nothing and keeps the limit', () => {
    const text = fc
      .array(fc.constantFrom('word', '北', '。', '. ', '\n', ' ', 'x'))
      .map((all) => all.join(''));
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 9 }), (page, words) => {
        const chunks = chunkText(page, words);
        expect(squeeze(chunks.join(''))).toBe(squeeze(page));
        for (const chunk of chunks) expect(countWords(chunk)).toBeLessThanOrEqual(words);
      }),
    );
  });

  it('has nothing for an empty page', () => {
    expect(chunkText(' \n ', 10)).toEqual([]);
  });
});

describe('firstWords', () => {
  it('keeps the text between words and stops after the last', () => {
    expect(firstWords('a  b\nc d', 3)).toBe('a  b\nc');
    expect(firstWords('a b', 9)).toBe('a b');
  });
});
