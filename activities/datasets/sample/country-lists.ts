import type { ListSpec } from './list-page.ts';
import { countryColumns, listPage } from './list-page.ts';
import { pick } from './seeded.ts';
import type { Country } from './sources.ts';
import { countries, neighboursOf } from './sources.ts';
import { inSentence } from './country-facts.ts';
import type { SamplePage } from './wording.ts';
import { groupDigits, listEnglish } from './wording.ts';

/** Distinct non-null values of `of` over all countries, in alphabetical order. */
export const distinct = (of: (country: Country) => readonly (string | null)[]): string[] =>
  [...new Set(countries.flatMap(of))].filter((value) => value !== null).sort();

/** English list pages: regions, subregions, landlocked and island countries, languages, currencies, borders. */
export function countryListPages(): SamplePage[] {
  return [
    ...distinct(({ region }) => [region]).map((region) =>
      page(`List of countries and territories in ${region}`, `the ${region} part of the world`, {
        rows: countries.filter((country) => country.region === region),
        columns: [{ label: 'Subregion', value: ({ subregion }) => subregion ?? '' }],
      }),
    ),
    ...distinct(({ subregion }) => [subregion]).flatMap((subregion) => {
      const rows = countries.filter((country) => country.subregion === subregion);
      const sovereign = rows.filter(({ status }) => status === 'sovereign');
      return [
        page(`List of countries and territories in ${subregion}`, subregion, { rows }),
        page(`Sovereign states of ${subregion}`, subregion, { rows: sovereign }),
      ];
    }),
    ...landlockedPages(),
    ...distinct(({ region }) => [region]).map((region) =>
      page(`Countries and territories without land borders in ${region}`, region, {
        rows: countries.filter((country) => country.region === region && country.borders.length === 0),
      }),
    ),
    ...distinct(({ languages }) => languages).flatMap((language) => {
      const rows = countries.filter(({ languages }) => languages.includes(language));
      return rows.length < 3
        ? []
        : [
            page(`Countries where ${language} is an official language`, `the ${language}-speaking world`, {
              rows,
            }),
          ];
    }),
    ...distinct(({ currencies }) => currencies.map(({ name }) => name)).flatMap((name) => {
      const rows = countries.filter(({ currencies }) =>
        currencies.some((currency) => currency.name === name),
      );
      return rows.length < 2
        ? []
        : [page(`Countries using the ${name}`, `the area of the ${name}`, { rows })];
    }),
    ...countries
      .filter(({ borders }) => borders.length >= 6)
      .map((country) =>
        page(`Land borders of ${inSentence(country)}`, `the surroundings of ${inSentence(country)}`, {
          rows: neighboursOf(country),
        }),
      ),
    ...distinct(({ region }) => [region]).map((region) =>
      page(`Largest countries and territories in ${region}`, region, {
        rows: bySize(countries.filter((country) => country.region === region)).slice(0, 12),
        columns: countryColumns.filter(({ label }) => label.startsWith('Area')),
      }),
    ),
  ];
}

function landlockedPages(): SamplePage[] {
  const all = countries.filter(({ landlocked }) => landlocked);
  const regions = [...new Set(all.map(({ region }) => region))].sort();
  return [
    page('Landlocked countries', 'the world', {
      rows: all,
      columns: [{ label: 'Continent', value: ({ region }) => region }],
    }),
    ...regions.map((region) =>
      page(`Landlocked countries in ${region}`, region, {
        rows: all.filter((country) => country.region === region),
      }),
    ),
  ];
}

const bySize = (rows: readonly Country[]): Country[] =>
  [...rows].sort((a, b) => (b.area ?? 0) - (a.area ?? 0) || (a.code < b.code ? -1 : 1));

function page(
  title: string,
  topic: string,
  spec: Pick<ListSpec<Country>, 'rows'> & Partial<ListSpec<Country>>,
): SamplePage {
  const { rows } = spec;
  const sized = bySize(rows).filter(({ area }) => area !== null);
  const [largest, smallest] = [sized[0], sized.at(-1)];
  const count = rows.length === 1 ? 'a single entry' : `${rows.length} entries`;
  const intro = pick(`${title}#intro`, [
    `**${title}.** This list covers ${topic}. It holds ${count} in alphabetical order unless stated otherwise.`,
    `The following list about ${topic} has ${count}. Names are given in their usual English form.`,
    `This page lists what the title says: ${title.charAt(0).toLowerCase()}${title.slice(1)}. There are ${rows.length} of them.`,
  ]);
  const extremes =
    largest && smallest && largest !== smallest
      ? `The largest by area is ${inSentence(largest)} with ${groupDigits(largest.area ?? 0, ',')} km², the smallest ${inSentence(smallest)}.`
      : '';
  const inland = rows.filter(({ landlocked }) => landlocked).length;
  const outro = [
    extremes,
    inland && inland < rows.length ? `${inland === 1 ? 'One is' : `${inland} are`} landlocked.` : '',
    'The list follows an open data set of countries and territories. Names, capitals and official languages change from time to time, and other compilations draw the lines between regions in another way, so that totals may differ from those given elsewhere.',
    related(rows),
  ];
  return listPage<Country>({
    language: 'en',
    title,
    intro,
    outro: outro.filter(Boolean).join(' '),
    name: { label: 'Country', value: ({ name }) => name },
    columns: countryColumns,
    ...spec,
  });
}

function related(rows: readonly Country[]): string {
  const regions = [...new Set(rows.map(({ subregion, region }) => subregion ?? region))].sort().slice(0, 4);
  return `Related lists treat ${listEnglish(regions)}, the landlocked countries of the world, and the countries that share an official language or a currency.`;
}
