import { describe, expect, it } from 'vitest';
import { holds, relationIn, splitConditions } from './conditions.ts';

describe('splitConditions', () => {
  it.each([
    [
      'towns in Varn that have an area over 500 km²',
      'towns in Varn',
      [{ column: 'area', low: 500, high: null }],
    ],
    ['minerals discovered before 1800', 'minerals', [{ column: 'year discovered', low: null, high: 1800 }]],
    ['schools founded between 1900 and 1950', 'schools', [{ column: 'year founded', low: 1900, high: 1950 }]],
    [
      'towers taller than 30 m built after 1850',
      'towers',
      [
        { column: 'height', low: 30 },
        { column: 'year built', low: 1850 },
      ],
    ],
    [
      'towns with a population of more than 5 million and an area below 100 km²',
      'towns',
      [
        { column: 'population', low: 5e6 },
        { column: 'area', high: 100 },
      ],
    ],
    [
      'towns in Varn whose names start with the letter B',
      'towns in Varn',
      [{ kind: 'name', place: 'start', text: 'B' }],
    ],
    ['北方面积大于50万平方公里的城市', '北方城市', [{ column: '面积', low: 500_000 }]],
    ['1800年以前发现的矿物', '矿物', [{ column: '发现年份', high: 1800 }]],
  ])('%s', (phrase, core, conditions) => {
    const split = splitConditions(phrase);
    expect(split.core).toBe(core);
    expect(split.conditions).toMatchObject(conditions);
  });

  it('leaves a phrase without conditions alone', () => {
    expect(splitConditions('harbours on the Varn coast')).toEqual({
      core: 'harbours on the Varn coast',
      conditions: [],
    });
  });
});

describe('relationIn', () => {
  it('finds what the class is related to', () => {
    expect(relationIn('duchies that border Foo')).toEqual({
      kind: 'relation',
      column: 'border',
      text: 'Foo',
    });
    expect(relationIn('towns using the Foo crown')).toMatchObject({ column: 'using', text: 'Foo crown' });
    expect(relationIn('towns on the coast')).toBeNull();
  });
});

describe('holds', () => {
  const over = splitConditions('towns with a height over 30 m').conditions[0]!;
  it('compares numbers and knows when it cannot tell', () => {
    expect(holds(over, '', '31 m')).toBe(true);
    expect(holds(over, '', '30 m')).toBe(false);
    expect(holds(over, '', '')).toBeNull();
    expect(holds(over, '', 'tall')).toBeNull();
  });

  it('takes antiquity as before any year', () => {
    const before = splitConditions('metals discovered before 1800').conditions[0]!;
    expect(holds(before, '', 'known since antiquity')).toBe(true);
    expect(holds(before, '', '1801')).toBe(false);
  });
});
