import { inSentence } from '../country-facts.ts';
import { countries, countryOf, neighboursOf } from '../sources.ts';
import { zhPlace } from '../zh-names.ts';
import type { Spoken } from './columns.ts';
import { SPOKEN } from './columns.ts';
import type { WideSpec } from './spec.ts';

const { country, language, capital } = SPOKEN;

/** Questions with one row per country and official language: a composite key instead of list cells. */
export function pairSpecs(): WideSpec<Spoken>[] {
  const spoken = (rows: readonly Spoken['country'][]): Spoken[] =>
    rows.flatMap((row) => row.languages.map((name) => ({ country: row, language: name })));
  const subregions = ['Southern Asia', 'Western Europe', 'Eastern Africa', 'Central Asia', 'Polynesia'];
  return [
    ...['ZMB', 'BEL', 'FIN', 'PRY', 'KEN'].map(countryOf).map((base): WideSpec<Spoken> => ({
      topic: `borders:${base.name}`,
      kind: 'pairs',
      lead: {
        en: `For every country that borders ${inSentence(base)}, list each of its official languages in a row of its own.`,
        zh: `对于每一个与${base.zhName}接壤的国家，请把它的每一种官方语言各列一行。`,
      },
      rows: spoken(neighboursOf(base)),
      columns: [country, language, capital],
    })),
    ...subregions.map((name): WideSpec<Spoken> => ({
      topic: `subregion:${name}`,
      kind: 'pairs',
      lead: {
        en: `For every sovereign state of ${name}, list each of its official languages in a row of its own.`,
        zh: `对于${zhPlace(name)}的每一个主权国家，请把它的每一种官方语言各列一行。`,
      },
      rows: spoken(countries.filter((row) => row.subregion === name && row.status === 'sovereign')),
      columns: [country, language],
    })),
  ];
}
