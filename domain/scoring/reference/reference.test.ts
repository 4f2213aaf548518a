import { describe, expect, it } from 'vitest';
import { inferColumn, printFloat } from './dtypes.ts';
import { extractReference } from './extract.ts';
import { readFrame } from './frame.ts';
import { REFERENCE_METRICS } from './metrics.ts';
import { normColumn, normStr, strip } from './text.ts';

describe('inferColumn', () => {
  it.each([
    [
      ['007', '+5', '-0'],
      ['7', '5', '0'],
    ],
    [
      ['1999', ''],
      ['1999.0', 'nan'],
    ],
    [
      ['1.10', '2'],
      ['1.1', '2.0'],
    ],
    [
      ['1e5', '0.00001', '1e16'],
      ['100000.0', '1e-05', '1e+16'],
    ],
    [
      ['true', 'FALSE'],
      ['True', 'False'],
    ],
    [
      ['true', 'NA'],
      ['True', 'nan'],
    ],
    [
      ['1,234', '5'],
      ['1,234', '5'],
    ],
    [
      ['0x10', '1_000'],
      ['0x10', '1_000'],
    ],
    [
      ['18446744073709551615', '1'],
      ['18446744073709551615', '1'],
    ],
    [
      ['18446744073709551616', '1'],
      ['18446744073709551616', '1'],
    ],
    [
      ['18446744073709551615', '-1'],
      ['18446744073709551615', '-1'],
    ],
    [
      ['9007199254740993', ''],
      ['9007199254740992.0', 'nan'],
    ],
    [
      ['inf', '-Infinity'],
      ['inf', '-inf'],
    ],
    [
      ['N/A', 'null'],
      ['nan', 'nan'],
    ],
    [
      ['NONE', 'x'],
      ['NONE', 'x'],
    ],
    [
      ['1e400', '1e-400', '0e400'],
      ['inf', '0.0', '0.0'],
    ],
    [[], []],
  ])('%j becomes %j', (cells, wanted) => {
    expect(inferColumn(cells)).toEqual(wanted);
  });

  it('prints floats as Python does', () => {
    expect([0.1, 1e15, 1.5e-7, 123456789012345680, -0, NaN].map(printFloat)).toEqual([
      '0.1',
      '1000000000000000.0',
      '1.5e-07',
      '1.2345678901234568e+17',
      '-0.0',
      'nan',
    ]);
  });
});

describe('readFrame', () => {
  it('shifts columns where the first row is wider, pads, and renames repeated names', () => {
    expect(readFrame('|a|b\n|x|y|\n|z', '|')).toEqual({
      columns: ['a', 'b'],
      rows: [
        ['y', 'nan'],
        ['nan', 'nan'],
      ],
    });
    expect(readFrame('a,a,a.1\n1,2,3', ',').columns).toEqual(['a', 'a.2', 'a.1']);
  });

  it('fails where the reader fails', () => {
    expect(() => readFrame('a|b\n1|2\n1|2|3', '|')).toThrow('Expected 2 fields in line 3, saw 3');
    expect(() => readFrame('a|b\n"1|2', '|')).toThrow('EOF inside string');
    expect(() => readFrame('\n', '|')).toThrow('EmptyDataError');
  });
});

describe('extractReference', () => {
  it('takes the first markdown fence, else the first run of pipe lines', () => {
    const table = '|A b|C|\n|-|-|\n|1|2|';
    const wanted = { columns: ['ab', 'c'], rows: [['1', '2']] };
    expect(extractReference('```markdown\n' + table + '\n``` ```markdown\n|z|\n```')).toEqual(wanted);
    expect(extractReference(`Here:\n${table}\nend`)).toEqual(wanted);
    expect(extractReference('a | b | c')).toBeNull();
    // Prose with pipes becomes a header that lacks its outer pipe, so every column shifts.
    expect(extractReference(`x | y | z\n${table}`)).toEqual({
      columns: ['y', 'z'],
      rows: [
        ['C', 'nan'],
        ['2', 'nan'],
      ],
    });
  });
});

describe('text', () => {
  it('strips what Python strips', () => {
    expect(strip('\u001c\u0085\u00a0x\u3000')).toBe('x');
    expect(strip('\uFEFFx')).toBe('\uFEFFx');
    expect(normStr(' A  *b\tc ')).toBe('ab\tc');
    expect(normColumn(' Full Name ')).toBe('fullname');
  });
});

describe('reference metrics', () => {
  it('keep their defects', () => {
    const call = (name: string, ...args: [string, string, unknown?]) =>
      REFERENCE_METRICS.get(name)?.(args[0], args[1], args[2]);
    expect(call('in_match', 'nan', 'Finance')).toBe(1);
    expect(call('url_match', 'a.com', 'b.com')).toBe(1);
    expect(call('number_near', 'nan', 'nan', 1)).toBe(0);
    expect(() => call('number_near', '5', '5')).toThrow('TypeError');
    expect(() => call('url_match', 'https://a.com[1]', 'x')).toThrow('ValueError');
    expect(call('url_match', 'https://[::1]/x', 'http://[::1]')).toBe(1);
  });
});
