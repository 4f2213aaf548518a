import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareCells } from './metrics.ts';
import type { PairMetric } from './metrics.ts';
import { toCell } from './missing.ts';
import { canonicalDecimal, extractNumber, extractNumberReference, parseFloatStrict } from './numbers.ts';
import { preprocessCell } from './preprocess.ts';
import { hostsOf } from './urls.ts';

const score = (metric: PairMetric, response: string | null, target: string | null, criterion: unknown = 0) =>
  compareCells(metric, response, target, criterion).score;

describe('numbers', () => {
  it.each([
    ['$1,234.50', '1234.50'],
    ['45 %', '45%'],
    ['50％', '50%'],
    ['−5', '-5'],
    ['1.5 million', '1500000'],
    ['US$1.5bn', '1500000000'],
    ['3 mn', '3000000'],
    ['17.98万', '179800'],
    ['1.2万亿元', '1200000000000'],
    ['3百万', '3000000'],
    ['-0.000012 thousand', '-0.012'],
    ['5千克', '5'],
    ['5 km', '5'],
    ['5 millions of them', '5'],
    ['1，234', '1234'],
    ['١٢٣', '123'],
    ['Q3 45%', '3'],
    ['三百', null],
  ])('reads %s as %s', (text, number) => {
    expect(extractNumber(text)).toBe(number);
  });

  it('reads numbers as the reference does where asked to', () => {
    expect(['1.5 million', '−5', '45 %', '三百'].map(extractNumberReference)).toEqual([
      '1.5',
      '5',
      '45',
      'NULL',
    ]);
  });

  it('parses floats strictly', () => {
    expect(['1_000', ' 5 ', '.5', '1e3', '-inf', '５'].map(parseFloatStrict)).toEqual([
      1000,
      5,
      0.5,
      1000,
      -Infinity,
      5,
    ]);
    expect(['', '0x10', '1,234', '5 kg', '1__0', '.'].map(parseFloatStrict)).toEqual(Array(6).fill(null));
  });

  it('drops fractional zeros of plain decimals only', () => {
    expect(['1.10', '1999.0', '35', '007', '1e5', '1234567890123456.0'].map(canonicalDecimal)).toEqual([
      '1.1',
      '1999',
      '35',
      '007',
      '1e5',
      '1234567890123456.0',
    ]);
  });
});

describe('compareCells', () => {
  it('has missing equal to missing only, whatever the metric', () => {
    for (const metric of ['exact_match', 'in_match', 'number_near', 'date_near', 'url_match'] as const) {
      expect(score(metric, null, null)).toBe(1);
      expect(score(metric, null, 'Finance')).toBe(0);
      expect(score(metric, 'x', null)).toBe(0);
    }
  });

  it.each([
    ['exact_match', 'A', 'a', 1],
    ['exact_match', '1.10', '1.1', 1],
    ['exact_match', '007', '7', 0],
    ['in_match', 'blue', 'red;blue', 1],
    ['in_match', 'red;blue', 'blue', 0],
    ['in_match', '', 'x', 0],
    ['url_match', '[a.org](https://b.org/x(1))', 'http://www.B.org:443/y', 1],
    ['url_match', 'https://a.org[1]', 'https://a.org', 1],
    ['url_match', 'https://b.org,https://a.org', 'https://a.org; https://b.org', 1],
    ['url_match', 'https://例子.cn', 'https://别的.cn', 0],
    ['url_match', '官网（https://a.org）', 'a.org', 1],
    ['url_match', 'none', 'None', 1],
    ['url_match', 'none', 'https://a.org', 0],
    ['date_near', '2021-01-01', '2021-02-01', 1],
    ['date_near', '2021-01-01', '2021-02-02', 0],
    ['date_near', '2021-03-05T23:00:00Z', '2021-03-05', 1],
    ['date_near', 'Q1 1987', 'Q3 2021', 0],
    ['date_near', 'Q1 1987', 'q1 1987', 1],
    ['date_near', '2021', '2021-12-24', 1],
    ['date_near', '2021', '2022', 0],
    ['date_near', 'TBD', '2022', 0],
  ] as const)('%s of %s and %s is %i', (metric, response, target, wanted) => {
    expect(score(metric, response, target)).toBe(wanted);
  });

  it.each([
    ['5,600', '5600', 0, 1],
    ['1.1', '1.0', 0.1, 1],
    ['1.101', '1.0', 0.1, 0],
    ['45', '45%', 0, 1],
    ['0.45', '45%', 0, 1],
    ['4.5', '45%', 0, 0],
    ['0.001', '0', 0.5, 0],
    ['inf', 'inf', 0, 1],
    ['abc', 'ABC', 0, 1],
    ['abc', '5', 0, 0],
    ['5.2', '5', '0.1', 1],
    ['5.2', '5', undefined, 0],
    ['5.2', '5', -1, 0],
  ])('number_near of %s and %s within %s is %i', (response, target, criterion, wanted) => {
    expect(score('number_near', response, target, criterion)).toBe(wanted);
  });

  it('is reflexive for every text and metric', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        for (const metric of ['exact_match', 'in_match', 'number_near', 'date_near', 'url_match'] as const) {
          expect(score(metric, text, text)).toBe(1);
        }
      }),
    );
  });
});

describe('cells', () => {
  it('takes blank words for missing except in keys', () => {
    expect(['', ' ', 'N/A', 'NONE', '#n/a', '-', '无'].map((text) => toCell(text, false))).toEqual([
      null,
      null,
      null,
      null,
      null,
      '-',
      '无',
    ]);
    expect(['NA', 'None', ' '].map((text) => toCell(text, true))).toEqual(['NA', 'None', null]);
  });

  it('are preprocessed left to right, missing stays missing', () => {
    expect(preprocessCell('**New　York** `x`', ['norm_str'])).toBe('newyorkx');
    expect(preprocessCell('about 3 million', ['norm_str', 'extract_number'])).toBe('3000000');
    expect(preprocessCell('unknown', ['extract_number', 'norm_str'])).toBeNull();
    expect(preprocessCell(null, ['norm_date'])).toBeNull();
    expect(preprocessCell('red<br>', ['norm_str'])).toBe('red<br>');
  });

  it('name hosts in running text', () => {
    expect([...hostsOf('see https://user:p@www.Ex.org:8080/a, and <http://x.cn>。')]).toEqual([
      'ex.org:8080',
      'x.cn',
    ]);
    expect([...hostsOf('version 1.5 of tool.example and -a.b-')]).toEqual(['tool.example']);
  });
});
