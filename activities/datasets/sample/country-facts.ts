import type { Country } from './sources.ts';
import { countries, neighboursOf, spokenOrder } from './sources.ts';
import { pick } from './seeded.ts';
import { groupDigits, inMillions, listEnglish, variedNumber } from './wording.ts';

const THE =
  /^(Bahamas|Netherlands|Philippines|Gambia|Maldives|Comoros|Seychelles|Republic of the Congo|DR Congo|Central African Republic|Dominican Republic|Czech Republic|United|Vatican City State|.* Islands$|French Southern|Caribbean Netherlands|British (Indian|Virgin))/;

/** The name as it stands inside a sentence, with its article where usage wants one. */
export const inSentence = (country: Country): string =>
  THE.test(country.name) ? `the ${country.name}` : country.name;

const sqMiles = (area: number): string => groupDigits(Math.round(area * 0.386102), ',');

/** One sentence with the capital or capitals; empty where there is none. */
export function capitalSentence(country: Country, seed: string): string {
  const [capital, ...others] = country.capitals;
  if (!capital) return '';
  const name = inSentence(country);
  if (others.length)
    return pick(seed, [
      `The functions of a capital are shared by ${listEnglish(country.capitals)}.`,
      `Three places serve as capital: ${listEnglish(country.capitals)}.`,
    ]);
  return pick(seed, [
    `The capital is ${capital}.`,
    `Its capital city is ${capital}, where the main institutions of government sit.`,
    `${capital} is the capital of ${name}.`,
    `${capital} serves as the capital.`,
    `The government has its seat in ${capital}, the capital.`,
    `Visitors usually arrive through ${capital}, the capital of the country.`,
  ]);
}

/** One or two sentences with the area; empty where it is unknown. */
export function areaSentence(country: Country, seed: string): string {
  const { area } = country;
  if (area === null) return '';
  const number = variedNumber(seed, area);
  const rough = area >= 1_000_000 ? ` That is roughly ${inMillions(area)} square kilometres.` : '';
  const miles = area >= 100 ? ` (${sqMiles(area)} sq mi)` : '';
  return (
    pick(seed, [
      `It covers an area of ${number} km²${miles}.`,
      `The total area is ${number} square kilometres${miles}.`,
      `With a surface of ${number} km², it is ${sizeRank(country)}.`,
      `Its territory extends over ${number}\u00a0km²${miles}.`,
      `Surveys put its area at ${number} sq km.`,
    ]) + rough
  );
}

function sizeRank(country: Country): string {
  const peers = countries.filter((other) => other.region === country.region && other.area !== null);
  const larger = peers.filter((other) => (other.area ?? 0) > (country.area ?? 0)).length;
  const share = larger / peers.length;
  if (share < 1 / 3) return `among the larger entries for ${country.region}`;
  return share < 2 / 3
    ? `of middling size for ${country.region}`
    : `among the smaller entries for ${country.region}`;
}

/** One sentence with the official languages; empty where there are none. */
export function languageSentence(country: Country, seed: string): string {
  const names = spokenOrder(country, seed);
  const [first = ''] = names;
  if (names.length === 0) return '';
  if (names.length === 1)
    return pick(seed, [
      `The official language is ${first}.`,
      `${first} is the sole official language.`,
      `${first} is used in government and law as the official language.`,
      `Official business is conducted in ${first}, the official language.`,
    ]);
  const all = listEnglish(names);
  return pick(seed, [
    `The official languages are ${all}.`,
    `${all} are the official languages.`,
    `There are ${names.length} official languages: ${names.join(', ')}.`,
    `${all} have official status.`,
    `Laws are published in the official languages, ${all}.`,
  ]);
}

/** One sentence with the currency or currencies; empty where there is none. */
export function currencySentence(country: Country, seed: string): string {
  const names = country.currencies.map(({ name, code }) => `${name} (${code})`);
  if (names.length === 0) return '';
  const all = listEnglish(names);
  if (names.length > 1)
    return pick(seed, [
      `Several currencies circulate: the ${all}.`,
      `Payments are made in the ${all}.`,
      `The currencies in use are the ${all}.`,
      `Legal tender includes the ${all}.`,
    ]);
  return pick(seed, [
    `The currency is the ${all}.`,
    `The ${all} is legal tender.`,
    `Prices are quoted in the local currency, the ${all}.`,
    `It uses the ${all} as its currency.`,
    `Banks keep accounts in the ${all}, the official currency.`,
  ]);
}

/** One sentence with the land borders. */
export function borderSentence(country: Country, seed: string): string {
  const names = neighboursOf(country).map(inSentence);
  const [first = ''] = names;
  if (names.length === 0)
    return pick(seed, [
      'It has no land borders.',
      'It shares no land border with another country.',
      'No other country can be reached from it by land.',
      'Its boundaries are entirely maritime, without any land border.',
    ]);
  if (names.length === 1)
    return pick(seed, [
      `It borders only ${first}.`,
      `Its only land border is with ${first}.`,
      `By land it touches a single neighbour, ${first}.`,
      `${capitalised(first)} is its only neighbour by land.`,
    ]);
  const all = listEnglish(names);
  return pick(seed, [
    `It borders ${all}.`,
    `It is bordered by ${all}.`,
    `Its neighbours by land are ${all}.`,
    `It shares land borders with ${all}.`,
    `The country has ${names.length} neighbours: ${all}.`,
  ]);
}

/** One sentence that says whether there is a coast. */
export function coastSentence(country: Country, seed: string): string {
  if (country.landlocked)
    return pick(seed, [
      'It is landlocked.',
      'The country has no coastline and is landlocked.',
      'Having no access to the sea, it counts among the landlocked countries.',
      'It is one of the landlocked countries of the world.',
    ]);
  return pick(seed, [
    'It has access to the sea.',
    'It is not landlocked.',
    'Part of its boundary is coast.',
    'It has a coastline.',
  ]);
}

/** One sentence with the continent. */
export function regionSentence(country: Country, seed: string): string {
  if (country.region === 'Antarctic') return 'Geographers assign it to the Antarctic.';
  const region = country.region === 'Americas' ? 'the Americas' : country.region;
  return pick(seed, [
    `It is counted as part of ${region}.`,
    `Statistical handbooks list it under ${region}.`,
    `It belongs to ${region}.`,
    `In the division of the world into continents it falls under ${region}.`,
  ]);
}

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
