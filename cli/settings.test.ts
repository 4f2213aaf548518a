import { expect, test } from 'vitest';
import { integer, parseSettings } from './settings.ts';

test('values are read as YAML reads scalars, everything else stays text', () => {
  expect(
    parseSettings([
      'a.b=4',
      'c=true',
      'd=null',
      'e=1e-3',
      'f=x=y',
      'g=',
      'h=[1, 2]',
      'i=a: b',
      'j="',
      'k= spaced ',
    ]),
  ).toEqual({
    ...{
      'a.b': 4,
      c: true,
      d: null,
      e: 0.001,
      f: 'x=y',
      g: null,
      h: '[1, 2]',
      i: 'a: b',
      j: '"',
      k: 'spaced',
    },
  });
});

test.each(['novalue', '=4', 'a..b=1', '.a=1', 'a b=1', ''])('%j is refused by name', (pair) => {
  expect(() => parseSettings([pair])).toThrow(`--set: "${pair}" is not key=value`);
});

test('integers are checked', () => {
  expect(integer('--port', 1, 10)('7')).toBe(7);
  for (const wrong of ['0', '11', '1.5', 'x'])
    expect(() => integer('--port', 1, 10)(wrong)).toThrow(/^--port: /);
});
