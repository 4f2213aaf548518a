import { createRequire } from 'node:module';
import { z } from 'zod';
import { WideseekError } from '../../../domain/errors.ts';
import { shuffle } from './seeded.ts';
import { zhCountryName, zhElementName } from './zh-names.ts';

export interface Currency {
  code: string;
  name: string;
}

/** One country or territory. Areas in km², positions in degrees; `borders` holds `code`s. */
export interface Country {
  code: string;
  name: string;
  officialName: string;
  zhName: string;
  /** `limited`: the data or common practice leave sovereignty open. */
  status: 'sovereign' | 'territory' | 'limited';
  landlocked: boolean;
  region: string;
  subregion: string | null;
  capitals: string[];
  area: number | null;
  /** Alphabetical. */
  languages: string[];
  currencies: Currency[];
  borders: string[];
  domain: string | null;
  callingCode: string | null;
  demonym: string | null;
  latitude: number;
  longitude: number;
}

/** One chemical element. Temperatures in kelvin, density in g/cm³, mass in unified atomic mass units. */
export interface Element {
  number: number;
  symbol: string;
  name: string;
  zhName: string;
  mass: number;
  category: string;
  period: number;
  block: 's' | 'p' | 'd' | 'f';
  state: string | null;
  melting: number | null;
  boiling: number | null;
  density: number | null;
  electronegativity: number | null;
  configuration: string;
  /** Null: known since antiquity. */
  discovered: number | null;
}

const rawCountrySchema = z.object({
  name: z.object({ common: z.string(), official: z.string() }),
  cca3: z.string().length(3),
  independent: z.boolean().nullable(),
  tld: z.array(z.string()),
  idd: z.object({ root: z.string(), suffixes: z.array(z.string()) }),
  currencies: z.union([z.record(z.string(), z.object({ name: z.string() })), z.array(z.never())]),
  capital: z.array(z.string()),
  region: z.string(),
  subregion: z.string(),
  languages: z.record(z.string(), z.string()),
  translations: z.record(z.string(), z.object({ common: z.string() })),
  latlng: z.tuple([z.number(), z.number()]),
  landlocked: z.boolean(),
  borders: z.array(z.string()),
  area: z.number(),
  demonyms: z.object({ eng: z.object({ m: z.string() }).optional() }).optional(),
});

const optionalNumber = z.union([z.number(), z.literal('').transform(() => null)]);
const rawElementSchema = z.object({
  atomicNumber: z.number().int(),
  symbol: z.string().trim(),
  name: z.string().trim(),
  atomicMass: z.union([z.string().trim(), z.array(z.number())]),
  electronicConfiguration: z.string().trim(),
  electronegativity: optionalNumber,
  standardState: z.string().trim(),
  meltingPoint: optionalNumber,
  boilingPoint: optionalNumber,
  density: optionalNumber,
  groupBlock: z.string().trim(),
  yearDiscovered: z.union([z.number().int(), z.literal('Ancient')]),
});

/** The data shortens a few currency names to a bare noun; a reader of one page could not place those. */
const CURRENCY_NAMES: Readonly<Record<string, string>> = {
  GEL: 'Georgian lari',
  GMD: 'Gambian dalasi',
  MKD: 'Macedonian denar',
  DKK: 'Danish krone',
  NOK: 'Norwegian krone',
  EUR: 'euro',
};
/** The data names two spoken dialects where the law says German, and brackets one name. */
const LANGUAGE_NAMES: Readonly<Record<string, string>> = {
  'Austro-Bavarian German': 'German',
  'Swiss German': 'German',
  'Persian (Farsi)': 'Persian',
};
const LIMITED = new Set(['PSE', 'TWN', 'UNK', 'ESH', 'ATA']);

const load = (name: string): unknown => createRequire(import.meta.url)(name);

function parseAll<T>(schema: z.ZodType<T>, rows: unknown, source: string): T[] {
  const parsed = z.array(schema).safeParse(rows);
  if (parsed.success) return parsed.data;
  throw new WideseekError('Internal', `package ${source}: ${z.prettifyError(parsed.error)}`, {
    hint: 'Install the version that package.json pins.',
  });
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function toCountry(raw: z.infer<typeof rawCountrySchema>): Country {
  const { root, suffixes } = raw.idd;
  return {
    code: raw.cca3,
    name: raw.name.common,
    officialName: raw.name.official,
    zhName: zhCountryName(raw.cca3, raw.translations['zho']?.common ?? raw.name.common),
    status: LIMITED.has(raw.cca3) ? 'limited' : raw.independent ? 'sovereign' : 'territory',
    landlocked: raw.landlocked,
    region: raw.region,
    subregion: raw.subregion || null,
    capitals: raw.capital.filter(Boolean),
    area: raw.area > 0 ? raw.area : null,
    languages: Object.values(raw.languages)
      .map((name) => LANGUAGE_NAMES[name] ?? name)
      .sort(byText),
    currencies: Object.entries(raw.currencies).map(([code, { name }]) => ({
      code,
      name: CURRENCY_NAMES[code] ?? name,
    })),
    // Sri Lanka names India but not the other way round, and no land connects them.
    borders: raw.cca3 === 'LKA' ? [] : raw.borders,
    domain: raw.tld[0] ?? null,
    callingCode: root ? root + (suffixes.length === 1 ? suffixes[0] : '') : null,
    demonym: raw.demonyms?.eng?.m || null,
    latitude: raw.latlng[0],
    longitude: raw.latlng[1],
  };
}

const NOBLE_GASES = [2, 10, 18, 36, 54, 86, 118];

/** The block by the subshell that is being filled: Lu and Lr count as d, La and Ac as f. */
function blockOf(number: number): Element['block'] {
  const before = NOBLE_GASES.filter((gas) => gas < number).at(-1) ?? 0;
  const position = number - before;
  if (position <= 2) return 's';
  const length = (NOBLE_GASES.find((gas) => gas >= number) ?? 118) - before;
  if (length - position < 6) return 'p';
  if (length - position < 16) return 'd';
  return 'f';
}

function toElement(raw: z.infer<typeof rawElementSchema>): Element {
  const mass = Array.isArray(raw.atomicMass) ? raw.atomicMass[0] : Number.parseFloat(raw.atomicMass);
  return {
    number: raw.atomicNumber,
    symbol: raw.symbol,
    name: raw.name,
    zhName: zhElementName(raw.symbol),
    mass: mass ?? Number.NaN,
    // The data calls seven post-transition metals just "metal", which every reader takes for more.
    category: raw.groupBlock === 'metal' ? 'post-transition metal' : raw.groupBlock,
    period: NOBLE_GASES.filter((gas) => gas < raw.atomicNumber).length + 1,
    block: blockOf(raw.atomicNumber),
    state: raw.standardState || null,
    melting: raw.meltingPoint,
    boiling: raw.boilingPoint,
    density: raw.density,
    electronegativity: raw.electronegativity,
    configuration: raw.electronicConfiguration,
    discovered: raw.yearDiscovered === 'Ancient' ? null : raw.yearDiscovered,
  };
}

/** All 250 countries and territories of `world-countries`, by English name. */
export const countries: readonly Country[] = parseAll(
  rawCountrySchema,
  load('world-countries/countries.json'),
  'world-countries',
)
  .map(toCountry)
  .sort((a, b) => byText(a.name, b.name));

/** All 118 elements of `periodic-table`, by atomic number. */
export const elements: readonly Element[] = parseAll(
  rawElementSchema,
  load('periodic-table/data.json'),
  'periodic-table',
).map(toElement);

const byCode = new Map(countries.map((country) => [country.code, country]));

/** The country with that three-letter code; `Internal` if the data has none. */
export function countryOf(code: string): Country {
  const country = byCode.get(code);
  if (!country) throw new WideseekError('Internal', `world-countries has no country ${code}`);
  return country;
}

/** Neighbours by land, by English name. */
export const neighboursOf = (country: Country): Country[] =>
  country.borders.map(countryOf).sort((a, b) => byText(a.name, b.name));

/**
 * The languages in the order in which this page tells them. Real pages differ in it, so two or three
 * languages come in any order; longer lists stay alphabetical, the order that gold cells can hold.
 */
export const spokenOrder = (country: Country, seed: string): string[] =>
  country.languages.length > 3 ? country.languages : shuffle(seed, country.languages, (name) => name);
