import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listPage } from './list-page.ts';
import {
  distanceKm,
  groupDigits,
  inMillions,
  joinParagraphs,
  listChinese,
  listEnglish,
  markdownTable,
  placementOf,
  variedNumber,
  wikiUrl,
} from './wording.ts';

describe('numbers', () => {
  it('are grouped in threes and keep their fraction', () => {
    expect(groupDigits(1234567, ',')).toBe('1,234,567');
    expect(groupDigits(999, ',')).toBe('999');
    expect(groupDigits(1234.5678, ',')).toBe('1,234.5678');
    expect(groupDigits(0.44, ',')).toBe('0.44');
  });

  it('keep their value in every form', () => {
    fc.assert(
      fc.property(fc.nat(20_000_000), fc.string(), (value, seed) => {
        return Number(variedNumber(seed, value).replace(/[,\u00a0]/g, '')) === value;
      }),
    );
  });

  it('in millions stay within half a percent', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1_000_000, max: 20_000_000 }), (value) => {
        const rough = Number.parseFloat(inMillions(value)) * 1e6;
        return Math.abs(rough - value) <= value * 0.005 + 1e-6;
      }),
    );
  });
});

describe('lists', () => {
  it("join with the language's words", () => {
    expect(listEnglish([])).toBe('');
    expect(listEnglish(['a'])).toBe('a');
    expect(listEnglish(['a', 'b', 'c'])).toBe('a, b and c');
    expect(listChinese(['甲', '乙', '丙'])).toBe('甲、乙和丙');
  });

  it('become Markdown tables', () => {
    expect(markdownTable(['A', 'B'], [['1', '2']])).toBe('| A | B |\n| --- | --- |\n| 1 | 2 |');
  });

  it('hold every row whatever the style', () => {
    const rows = ['Alpha', 'Beta', 'Gamma'];
    const styles = new Set<string>();
    for (let index = 0; index < 40; index += 1) {
      const { contents } = listPage<string>({
        language: 'en',
        title: `List ${index}`,
        intro: 'Intro.',
        outro: 'Outro.',
        rows,
        name: { label: 'Name', value: (row) => row },
        columns: [{ label: 'Size', value: () => '' }],
      });
      for (const row of rows) expect(contents).toContain(row);
      styles.add(contents.includes('| ---') ? 'table' : contents.includes('- Alpha') ? 'bullets' : 'prose');
    }
    expect(styles).toEqual(new Set(['table', 'bullets', 'prose']));
  });
});

describe('pages', () => {
  it('have URLs without spaces', () => {
    expect(wikiUrl('en', 'Burkina Faso')).toBe('https://sample.wideseek.example/en/wiki/Burkina_Faso');
    expect(new URL(wikiUrl('zh', '瑞士')).pathname).toContain('%');
  });

  it('leave out empty paragraphs', () => {
    expect(joinParagraphs(['a', '', 'b'])).toBe('a\n\nb');
  });

  it('place facts in prose, in the block, or in both', () => {
    const seen = Array.from({ length: 60 }, (_, index) => placementOf(`p${index}`, 'area'));
    expect(new Set(seen)).toEqual(new Set(['both', 'prose', 'block']));
  });
});

describe('distanceKm', () => {
  it('is a quarter of the equator for ninety degrees', () => {
    const origin = { latitude: 0, longitude: 0 };
    expect(distanceKm(origin, { latitude: 0, longitude: 90 })).toBeCloseTo((6371 * Math.PI) / 2, 6);
    expect(distanceKm(origin, origin)).toBe(0);
  });
});
