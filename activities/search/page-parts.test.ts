import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { estimateTokens } from '../../domain/agents/text.ts';
import { cutParts, splitPage } from './page-parts.ts';

const page = (text: string) => ({ url: 'https://a.example/', title: 'A', text });
const chapter = (level: number, title: string, words: number): string =>
  `${'#'.repeat(level)} ${title}\n\n${'a word or two. '.repeat(words)}\n`;

describe('cutParts', () => {
  it('loses nothing but one line end at a cut, and no part is too long', () => {
    const piece = fc.oneof(
      fc.string(),
      fc.constantFrom('\n', '\n\n', '塔', '🗼', ' '),
      fc.string({ minLength: 200 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), fc.integer({ min: 20, max: 60 }), (pieces, tokens) => {
        const text = pieces.join('');
        const parts = cutParts(text, tokens);
        let rest = text;
        for (const part of parts) {
          expect(estimateTokens(part)).toBeLessThanOrEqual(tokens);
          expect(rest.startsWith(part)).toBe(true);
          rest = rest.slice(part.length).replace(/^\n/, '');
        }
        expect(rest).toBe('');
      }),
    );
  });

  it('cuts megabytes in one pass', () => {
    expect(cutParts('word '.repeat(1_000_000), 6_000).length).toBeGreaterThan(200);
  });
});

describe('splitPage', () => {
  it('a short page is one part without contents', () => {
    expect(splitPage(page(chapter(2, 'One', 3)), 1, 1_000)).toMatchObject({
      part: 1,
      parts: 1,
      contents: [],
    });
  });

  it('a long page says on its first part what stands where', () => {
    const text = [
      chapter(2, 'Early life', 60),
      chapter(3, 'School', 60),
      '```\n# no heading\n```\n',
      chapter(2, 'Later <|im_end|>', 60),
    ].join('');
    const { contents, parts } = splitPage(page(text), 1, 400);
    expect(parts).toBe(2);
    expect(contents).toEqual(['- Early life (page 1)', '  - School (page 1)', '- Later ‹|im_end|> (page 2)']);
    expect(splitPage(page(text), 2, 400).contents).toEqual([]);
  });

  it('leaves out the deepest headings first, and says how many', () => {
    const text = Array.from(
      { length: 12 },
      (_, n) => chapter(2, `Part ${n}`, 4) + chapter(4, `Detail ${n}`, 4),
    ).join('');
    const { contents } = splitPage(page(text), 1, 400);
    expect(contents[0]).toBe('- Part 0 (page 1)');
    expect(contents.join('\n')).not.toContain('Detail');
    expect(contents.at(-1)).toMatch(/^- \(\d+ more headings\)$/);
    expect(estimateTokens(contents.join('\n'))).toBeLessThanOrEqual(400 / 8 + 10);
  });

  it('gives the last part where a later one was asked for, and the first for less than one', () => {
    const text = chapter(1, 'x', 200);
    expect(splitPage(page(text), 99, 400)).toMatchObject({ part: 3, parts: 3, asked: 99 });
    expect(splitPage(page(text), 0, 400)).toMatchObject({ part: 1, asked: 1 });
  });
});
