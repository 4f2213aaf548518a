import { describe, expect, it } from 'vitest';
import { hashText, pick, shuffle } from './seeded.ts';
import { countries, countryOf, elements, neighboursOf, spokenOrder } from './sources.ts';
import { zhLanguage } from './zh-languages.ts';
import { zhCategory, zhElementName, zhPlace } from './zh-names.ts';

describe('countries', () => {
  it('are 250 with unique names in both languages', () => {
    expect(countries).toHaveLength(250);
    expect(new Set(countries.map(({ name }) => name)).size).toBe(250);
    expect(new Set(countries.map(({ zhName }) => zhName)).size).toBe(250);
  });

  it('have the sixteen landlocked African ones', () => {
    const rows = countries.filter(({ region, landlocked }) => region === 'Africa' && landlocked);
    expect(rows).toHaveLength(16);
    expect(rows.every(({ status }) => status === 'sovereign')).toBe(true);
  });

  it('have Chinese names for all that the Chinese pages mention', () => {
    for (const { languages, region, subregion } of countries) {
      for (const language of languages) expect(zhLanguage(language)).toMatch(/[语土手]/);
      expect(zhPlace(region)).not.toBe('');
      if (subregion) expect(zhPlace(subregion)).not.toBe('');
    }
    expect(() => zhLanguage('Klingon')).toThrow('Klingon');
    expect(() => zhPlace('Atlantis')).toThrow('Atlantis');
  });

  it('name the official language of Austria and Switzerland, not the dialects', () => {
    expect(countryOf('AUT').languages).toEqual(['German']);
    expect(countryOf('CHE').languages).toEqual(['French', 'German', 'Italian', 'Romansh']);
  });

  it('border one another mutually', () => {
    for (const country of countries)
      for (const other of neighboursOf(country))
        expect(other.borders, `${country.name} ${other.name}`).toContain(country.code);
    expect(() => countryOf('XXX')).toThrow('XXX');
  });

  it('name their currencies in full', () => {
    const names = countries.flatMap(({ currencies }) => currencies.map(({ name }) => name));
    expect(names).toContain('Georgian lari');
    expect(names).not.toContain('lari');
    expect(names).not.toContain('krone');
  });
});

describe('spokenOrder', () => {
  it('varies short lists between pages and keeps long ones alphabetical', () => {
    const rwanda = countryOf('RWA');
    const orders = new Set(Array.from({ length: 30 }, (_, seed) => spokenOrder(rwanda, `s${seed}`).join()));
    expect(orders.size).toBeGreaterThan(3);
    const zimbabwe = countryOf('ZWE');
    expect(spokenOrder(zimbabwe, 'x')).toEqual([...zimbabwe.languages].sort());
  });
});

describe('elements', () => {
  it('are 118 with unique Chinese names', () => {
    expect(elements.map(({ number }) => number)).toEqual(
      Array.from({ length: 118 }, (_, index) => index + 1),
    );
    expect(new Set(elements.map(({ zhName }) => zhName)).size).toBe(118);
    for (const { zhName, category } of elements) {
      expect([...zhName]).toHaveLength(1);
      expect(zhCategory(category)).not.toBe('');
    }
    expect(() => zhElementName('Xx')).toThrow('Xx');
  });

  it('spell well-known Chinese names right', () => {
    expect(['H', 'O', 'Fe', 'Ag', 'W', 'Au', 'Hg', 'U'].map(zhElementName).join('')).toBe('氢氧铁银钨金汞铀');
  });

  it('stand in the right period and block', () => {
    const at = (symbol: string) => {
      const found = elements.find((element) => element.symbol === symbol);
      return `${found?.period}${found?.block}`;
    };
    expect(['H', 'He', 'B', 'Sc', 'Zn', 'Ga', 'La', 'Yb', 'Lu', 'Tl', 'No', 'Lr', 'Og'].map(at)).toEqual(
      '1s 1s 2p 4d 4d 4p 6f 6f 6d 6p 7f 7d 7p'.split(' '),
    );
    const sizes = (['s', 'p', 'd', 'f'] as const).map(
      (block) => elements.filter((row) => row.block === block).length,
    );
    expect(sizes).toEqual([14, 36, 40, 28]);
  });

  it('have masses without their uncertainty', () => {
    expect(elements[0]?.mass).toBe(1.00794);
    expect(elements.find(({ symbol }) => symbol === 'Tc')?.mass).toBe(98);
  });
});

describe('seeded choices', () => {
  it('depend on the seed alone', () => {
    expect(hashText('wideseek')).toBe(hashText('wideseek'));
    expect(pick('seed', ['a', 'b', 'c'])).toBe(pick('seed', ['a', 'b', 'c']));
    const letters = 'abcdefgh'.split('');
    expect(shuffle('one', letters, (letter) => letter).sort()).toEqual(letters);
    expect(shuffle('one', letters, (letter) => letter)).not.toEqual(
      shuffle('two', letters, (letter) => letter),
    );
  });

  it('spread over the options', () => {
    const counts = new Map<string, number>();
    for (let index = 0; index < 1000; index += 1) {
      const option = pick(`country ${index}`, ['a', 'b', 'c', 'd']);
      counts.set(option, (counts.get(option) ?? 0) + 1);
    }
    for (const count of counts.values()) expect(count).toBeGreaterThan(180);
  });
});
