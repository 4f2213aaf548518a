import { pick } from './seeded.ts';
import type { Country } from './sources.ts';
import { countries, neighboursOf, spokenOrder } from './sources.ts';
import {
  areaSentence,
  borderSentence,
  capitalSentence,
  coastSentence,
  currencySentence,
  inSentence,
  languageSentence,
  regionSentence,
} from './country-facts.ts';
import type { InfoLine, SamplePage } from './wording.ts';
import {
  distanceKm,
  groupDigits,
  joinParagraphs,
  listEnglish,
  placementOf,
  renderBlock,
  variedNumber,
  wikiUrl,
} from './wording.ts';

/** The English page of one country or territory. */
export function countryPage(country: Country): SamplePage {
  const seed = `en|${country.code}`;
  const prose = (fact: string, sentence: (country: Country, seed: string) => string): string =>
    placementOf(seed, fact) === 'block' ? '' : sentence(country, `${seed}|${fact}`);
  const paragraph = (...sentences: string[]): string => sentences.filter(Boolean).join(' ');
  const block = renderBlock(seed, infoLines(country, seed), ['Fact', 'Value']);
  const [geography, government, society] = pick(`${seed}#headings`, [
    ['Geography', 'Government and economy', 'Language and society'],
    ['Location and terrain', 'State and money', 'People and languages'],
    ['Geography', 'Capital and currency', 'Languages'],
  ]);
  const section = (heading: string, body: string): string => (body ? `## ${heading}\n\n${body}` : '');
  const blockFirst = pick(`${seed}#blockFirst`, [true, false]);
  const contents = joinParagraphs([
    blockFirst ? block : '',
    paragraph(leadSentence(country, seed), prose('capital', capitalSentence)),
    section(
      geography,
      paragraph(
        prose('region', regionSentence),
        prose('area', areaSentence),
        prose('landlocked', coastSentence),
        prose('borders', borderSentence),
        positionSentence(country),
        nearbySentence(country),
      ),
    ),
    section(government, paragraph(prose('currency', currencySentence), comparison(country, seed))),
    section(society, paragraph(prose('languages', languageSentence), societySentences(country, seed))),
    blockFirst ? '' : block,
    section('See also', seeAlso(country)),
  ]);
  return { url: wikiUrl('en', country.name), title: country.name, contents };
}

function leadSentence(country: Country, seed: string): string {
  const name = pick(`${seed}#lead`, [true, false]) ? inSentence(country) : country.name;
  const subject = name.charAt(0).toUpperCase() + name.slice(1);
  const official =
    country.officialName === country.name ? '' : `, officially ${withArticle(country.officialName)},`;
  const place =
    country.subregion ?? (country.region === 'Antarctic' ? 'the Antarctic region' : country.region);
  const kind = { sovereign: 'a sovereign state', territory: 'a territory', limited: '' }[country.status];
  const where = `${country.subregion === 'Caribbean' ? 'the ' : ''}${place}`;
  if (!kind) return `${subject}${official} lies in ${where}.`;
  return pick(`${seed}#kind`, [
    `${subject}${official} is ${kind} in ${where}.`,
    `${subject}${official} is ${kind} located in ${where}.`,
    `${subject}${official} is ${kind} of ${where}.`,
    `${subject}${official} is ${kind} that belongs to ${where}.`,
  ]);
}

const withArticle = (official: string): string =>
  /\b(Republic|Kingdom|State|States|Federation|Principality|Union|Commonwealth|Duchy|Sultanate|Confederation|Bailiwick|Territory|Collectivity|Islands)\b/.test(
    official,
  )
    ? `the ${official}`
    : official;

function infoLines(country: Country, seed: string): InfoLine[] {
  const lines: InfoLine[] = [];
  const add = (fact: string, labels: readonly string[], value: string): void => {
    if (value && placementOf(seed, fact) !== 'prose')
      lines.push([pick(`${seed}|${fact}#label`, labels), value]);
  };
  const area = country.area === null ? '' : variedNumber(`${seed}|block`, country.area);
  const unit = pick(`${seed}#unit`, [' km²', '\u00a0km²', ' sq km', ' km2']);
  add('officialName', ['Official name', 'Formal name'], country.officialName);
  const capitals = country.capitals.join(', ');
  add('capital', country.capitals.length > 1 ? ['Capitals'] : ['Capital', 'Capital city'], capitals);
  add('area', ['Area', 'Total area', 'Surface area'], area && area + unit);
  const languages = spokenOrder(country, `${seed}|block`).join(', ');
  const plural = country.languages.length > 1;
  add(
    'languages',
    plural ? ['Official languages', 'Official language(s)'] : ['Official language'],
    languages,
  );
  const currencies = country.currencies.map(({ name, code }) => `${name} (${code})`).join(', ');
  add('currency', ['Currency', 'Legal tender'], currencies);
  add('region', ['Region', 'Continent'], country.region);
  add('subregion', ['Subregion'], country.subregion ?? '');
  add('landlocked', ['Landlocked'], country.landlocked ? 'yes' : 'no');
  const borders = neighboursOf(country).map(({ name }) => name);
  add('borders', ['Borders', 'Neighbours by land', 'Land borders'], borders.join(', ') || 'none');
  add('domain', ['Internet domain', 'Top-level domain'], country.domain ?? '');
  add('calling', ['Calling code', 'Telephone prefix'], country.callingCode ?? '');
  return lines;
}

function positionSentence(country: Country): string {
  const degrees = (value: number, positive: string, negative: string): string =>
    `${Math.abs(Number(value.toFixed(1)))}° ${value < 0 ? negative : positive}`;
  return `Its centre lies at about ${degrees(country.latitude, 'N', 'S')}, ${degrees(country.longitude, 'E', 'W')}.`;
}

function nearbySentence(country: Country): string {
  const near = countries
    .filter((other) => other !== country)
    .map((other) => ({ other, km: distanceKm(country, other) }))
    .sort((a, b) => a.km - b.km || (a.other.name < b.other.name ? -1 : 1))
    .slice(0, 3)
    .map(({ other, km }) => `${inSentence(other)} (${groupDigits(Math.round(km), ',')} km)`);
  return `Measured from centre to centre, the closest countries and territories are ${listEnglish(near)}.`;
}

/** A sentence about another country, as real pages have them: a reader must not take its numbers for ours. */
function comparison(country: Country, seed: string): string {
  const { area } = country;
  if (area === null) return '';
  const sized = countries.filter((other) => other.area !== null && other !== country);
  const closest = sized.sort(
    (a, b) => Math.abs((a.area ?? 0) - area) - Math.abs((b.area ?? 0) - area) || (a.name < b.name ? -1 : 1),
  )[0];
  if (!closest) return '';
  const other = inSentence(closest);
  const gap = area - (closest.area ?? 0);
  const word = gap === 0 ? 'as large as' : gap > 0 ? 'slightly larger than' : 'slightly smaller than';
  return pick(`${seed}#comparison`, [
    `Economic atlases often compare it with ${other}, which has nearly the same size.`,
    `It is ${word} ${other}.`,
    `In tables ordered by size it stands next to ${other}.`,
    `Its size is close to that of ${other} (${groupDigits(closest.area ?? 0, ',')} km²).`,
  ]);
}

function societySentences(country: Country, seed: string): string {
  const sentences: string[] = [];
  if (country.demonym)
    sentences.push(
      pick(`${seed}#demonym`, [
        `An inhabitant is called ${country.demonym}.`,
        `The demonym is ${country.demonym}.`,
        `In English the people are described as ${country.demonym}.`,
      ]),
    );
  if (country.callingCode && placementOf(seed, 'calling') !== 'block')
    sentences.push(`Telephone calls from abroad start with ${country.callingCode}.`);
  if (country.domain && placementOf(seed, 'domain') !== 'block')
    sentences.push(`Local websites often end in ${country.domain}.`);
  return sentences.join(' ');
}

function seeAlso(country: Country): string {
  const links = [`List of countries and territories in ${country.subregion ?? country.region}`];
  if (country.landlocked) links.push('Landlocked countries');
  links.push(
    ...neighboursOf(country)
      .slice(0, 3)
      .map(({ name }) => name),
  );
  const currency = country.currencies[0];
  if (currency) links.push(`Countries using the ${currency.name}`);
  return `${links.join('; ')}.`;
}
