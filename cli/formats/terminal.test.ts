import fc from 'fast-check';
import { expect, test } from 'vitest';
import { terminalTable } from './terminal.ts';
import { displayWidth, wrap } from './width.ts';

test.each([
  ['abc', 3],
  ['乍得', 4],
  ['é', 1],
  ['e\u0301', 1],
  ['ｱ', 1],
  ['Ａ', 2],
  ['👩‍👩‍👧', 2],
  ['🇹🇩', 2],
  ['한국', 4],
  ['—', 1],
  ['', 0],
])('%s is %i wide', (text, width) => expect(displayWidth(text)).toBe(width));

test('columns line up whatever the script', () => {
  expect(
    terminalTable(
      {
        columns: ['国家', 'Capital'],
        rows: [
          ['乍得', "N'Djamena"],
          ['Niger', '尼亚美'],
        ],
      },
      80,
    ),
  ).toBe(['国家   Capital', '─────  ─────────', "乍得   N'Djamena", 'Niger  尼亚美'].join('\n'));
});

test('long cells wrap at words, in Chinese anywhere', () => {
  expect(wrap('the quick brown fox', 10)).toEqual(['the quick', 'brown fox']);
  expect(wrap('恩贾梅纳是首都', 6)).toEqual(['恩贾梅', '纳是首', '都']);
  expect(wrap('abcdefghij', 4)).toEqual(['abcd', 'efgh', 'ij']);
  expect(terminalTable({ columns: ['A', 'B'], rows: [['x', 'one two three four']] }, 12)).toBe(
    ['A  B', '─  ─────────', 'x  one two', '   three', '   four'].join('\n'),
  );
});

test('control sequences of the web do not reach the terminal', () => {
  expect(terminalTable({ columns: ['A'], rows: [['\u001b[31mred\u0007\nline\u202e']] }, 40)).toBe(
    'A\n────────────\n[31mred line',
  );
});

const cell = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '国', 'é', '👍', '-', '\n', 'word ') });
test('no line is wider than the terminal, and no visible character is lost', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(cell, cell, cell), { maxLength: 4 }),
      fc.integer({ min: 16, max: 60 }),
      (rows, width) => {
        const printed = terminalTable({ columns: ['A', '国', 'C'], rows }, width);
        for (const line of printed.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(width);
        const count = (text: string): number => text.replace(/[\s─]/g, '').length;
        expect(count(printed)).toBe(count(`A国C${rows.flat().join('')}`));
      },
    ),
    { numRuns: 200 },
  );
});
