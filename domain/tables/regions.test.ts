import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isDelimiterRow, literalCell, parseCell, printCell, splitRow } from './cells.ts';
import { splitRegions } from './regions.ts';

const regions = (text: string): string[] =>
  splitRegions(text).map(({ fenced, tag, lines }) => `${fenced ? `[${tag}]` : ''}${lines.join('/')}`);

describe('splitRegions', () => {
  it.each([
    ['a\n```md\nb\n```\nc', ['a', '[md]b', 'c']],
    ['```\na\n~~~\nb\n```', ['[]a/~~~/b']],
    ['````markdown\n```\na\n```\n````', ['[markdown]```/a/```']],
    ['~~~ Markdown title\na\n~~~', ['[markdown]a']],
    ['Answer: ```markdown\na\nb```\nc', ['[markdown]a/b', 'c']],
    ['`code` and ``` in a line of text', ['`code` and ``` in a line of text']],
    ['```inline``` text', ['```inline``` text']],
    ['> ```\n> a\n> ```', ['[]a']],
    ['```python\na', ['[python]a']],
    ['', ['']],
  ])('%j', (text, wanted) => {
    expect(regions(text)).toEqual(wanted);
  });

  it('loses no line of text between fences', () => {
    const line = fc.constantFrom('a', '| b |', '', '```', '```md', '~~~', 'x ```', '> c');
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const kept = splitRegions(lines.join('\n')).flatMap((region) => region.lines);
        const plain = (entries: string[]): number =>
          entries.filter((entry) => /^(a|\| b \||c|> c)$/.test(entry)).length;
        expect(plain(kept)).toBe(plain(lines));
      }),
    );
  });
});

describe('cells', () => {
  it.each([
    ['a|b', 'a\\|b'],
    ['a\nb', 'a<br>b'],
    ['a<br>b', 'a\\<br>b'],
    ['C:\\dir', 'C:\\dir'],
    ['a\\|b', 'a\\\\\\|b'],
    ['a\\\nb', 'a\\\\<br>b'],
    ['"q"', '"""q"""'],
    ['"a" and "b"', '"a" and "b"'],
    ['""', '""""""'],
    ['5" pipe', '5" pipe'],
  ])('%j is printed as %j and read back', (cell, printed) => {
    expect(printCell(cell)).toBe(printed);
    expect(parseCell(printed)).toBe(cell);
  });

  it('are read literally for scoring', () => {
    expect([' "a" ', '"a', 'x<br>y', 'a\\|b', '\\\\'].map(literalCell)).toEqual([
      'a',
      '"a',
      'x<br>y',
      'a|b',
      '\\\\',
    ]);
  });

  it('split at unescaped pipes, outer pipes optional', () => {
    expect(splitRow('| a | b |')).toEqual([' a ', ' b ']);
    expect(splitRow('a|b')).toEqual(['a', 'b']);
    expect(splitRow('| a |  |')).toEqual([' a ', '  ']);
    expect(splitRow('|a\\|b|')).toEqual(['a\\|b']);
    expect(splitRow('no pipe')).toEqual([]);
    expect(splitRow('|')).toEqual([]);
  });

  it('know a delimiter row', () => {
    expect([['---', ':-:'], [' - '], ['-a-'], [''], [], [':']].map(isDelimiterRow)).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });
});
