import { describe, expect, it } from 'vitest';
import { isWordDump } from './word-dump.ts';

describe('isWordDump', () => {
  it.each([
    ['one word', 'cheap '.repeat(400)],
    ['one word on lines', 'cheap\n'.repeat(400)],
    ['a phrase', 'buy cheap shoes online today, '.repeat(600)],
    ['one Chinese character', '买'.repeat(400)],
    ['Chinese without sentences', '天地玄黄宇宙洪荒日月盈昃辰宿列张'.repeat(60)],
  ])('%s', (_what, text) => expect(isWordDump(text)).toBe(true));

  it.each([
    [
      'prose',
      'The river rises in the hills, runs south and reaches the sea after a while. '.repeat(3) +
        Array.from({ length: 300 }, (_, n) => `In year ${n} the count was ${n * 7}.`).join(' '),
    ],
    ['a short text', 'cheap '.repeat(100)],
    [
      'a table of numbers',
      Array.from({ length: 900 }, (_, n) => `| Station ${n} | ${n * 37} | yes |`).join('\n'),
    ],
    ['a list of names', Array.from({ length: 900 }, (_, n) => `- Name${n} Surname${n}`).join('\n')],
    [
      'Chinese prose',
      '青溪县位于江东省西部，总面积一千八百平方千米。全县以茶叶和毛竹为主，下辖九个镇。'.repeat(10),
    ],
  ])('not %s', (_what, text) => expect(isWordDump(text)).toBe(false));
});
