import { describe, expect, it } from 'vitest';
import { extractValue } from './extract-value.ts';
import { readStructure } from './page-structure.ts';
import { createRanker } from './ranker.ts';

const ranker = createRanker(null);
const lift = async (text: string, column: string, entity = 'Orm') =>
  (await extractValue(readStructure(entity, text), entity, column, ranker))?.value ?? null;

describe('extractValue', () => {
  it.each([
    ['Height: 31 m', 'Height', '31 m'],
    ['- **Height**: 31 m', 'Height', '31 m'],
    ['| Fact | Value |\n|---|---|\n| Height | 31 m |', 'Height', '31 m'],
    ['Total area: 1 234 km2', 'Area (km²)', '1234'],
    ['The seat of Orm is Lune, which lies inland.', 'Seat', 'Lune'],
    ['Lune is the seat of Orm.', 'Seat', 'Lune'],
    ['The government sits in Lune, the seat.', 'Seat', 'Lune'],
    ['Its official languages are Ormish and Varnish.', 'Official languages', 'Ormish and Varnish'],
    ['Ormish is used in law as the official language.', 'Official language', 'Ormish'],
    ['It uses the Varn crown (VCR) as its currency.', 'Currency', 'Varn crown (VCR)'],
    ['It borders Foo, Bar and Baz.', 'Borders', 'Foo, Bar and Baz'],
    ['It was discovered in 1822 and opened in 1901.', 'Year of discovery', '1822'],
    ['首都为Lune。', '首都', 'Lune'],
    ['面积1,234平方公里，人口很少。', '面积（平方公里）', '1234'],
    ['以甲语和乙语为官方语言。', '官方语言', '甲语和乙语'],
  ])('%s', async (text, column, value) => {
    expect(await lift(text, column)).toBe(value);
  });

  it('does not take the value of a neighbouring attribute', async () => {
    expect(await lift('The melting point is 300 K.', 'Boiling point')).toBeNull();
    expect(await lift('Atomic number: 12', 'Atomic mass')).toBeNull();
    expect(await lift('Official name: Free City of Orm', 'Official languages')).toBeNull();
  });

  it('trusts a plain statement more than a comparison with another entity', async () => {
    expect(await lift('Its area is close to that of Foo (99 km²). It has an area of 55 km².', 'Area')).toBe(
      '55 km²',
    );
  });

  it('finds the row of the entity on a page about several', async () => {
    const table =
      '| Town | Mayor | Area |\n|---|---|---|\n| Foo | A. Bee | 3 |\n| Orm | C. Dee | 5 |\n| Bar | E. Eff | 7 |';
    expect(await lift(table, 'Mayor')).toBe('C. Dee');
  });

  it('quotes the page', async () => {
    const text = 'A tower. The seat of Orm is Lune.';
    const found = await extractValue(readStructure('Orm', text), 'Orm', 'Seat', ranker);
    expect(text).toContain(found?.quote);
  });
});
