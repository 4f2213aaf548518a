import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COUNTRY, columnName, ORDER_SEPARATOR, orderings, stepOf } from './columns.ts';

const words = (maxLength: number) =>
  fc.uniqueArray(fc.stringMatching(/^[A-Z][a-z]{2,8}$/), { minLength: 1, maxLength });

describe('orderings', () => {
  it('writes out every order of up to three values, the given one first', () => {
    expect(orderings(['English', 'Tswana'])).toBe('English, Tswana // Tswana, English');
    fc.assert(
      fc.property(words(3), (values) => {
        const orders = orderings(values).split(ORDER_SEPARATOR);
        const factorial = [1, 1, 2, 6][values.length];
        return (
          orders[0] === values.join(', ') &&
          new Set(orders).size === factorial &&
          orders.every((order) => order.split(', ').sort().join() === [...values].sort().join())
        );
      }),
    );
  });

  it('keeps one order of longer lists', () => {
    expect(orderings(['A', 'B', 'C', 'D'])).toBe('A, B, C, D');
  });
});

describe('stepOf', () => {
  it('gives numbers a tolerance and lists a substring test', () => {
    expect(stepOf(COUNTRY.area, false)).toEqual({
      preprocess: ['extract_number'],
      metric: ['number_near'],
      criterion: 0.01,
    });
    expect(stepOf(COUNTRY.languages, true).metric).toEqual(['in_match']);
    expect(stepOf(COUNTRY.languages, false).metric).toEqual(['exact_match']);
    expect(stepOf(COUNTRY.country, false).metric).toEqual(['exact_match']);
  });
});

describe('columnName', () => {
  it('is the normalised label', () => {
    expect(columnName(COUNTRY.languages, 'en')).toBe('officiallanguages');
    expect(columnName(COUNTRY.languages, 'zh')).toBe('官方语言');
  });
});
