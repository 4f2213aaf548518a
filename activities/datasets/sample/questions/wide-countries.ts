import { inSentence } from '../country-facts.ts';
import { distinct } from '../country-lists.ts';
import { hashText } from '../seeded.ts';
import type { Country } from '../sources.ts';
import { countries, countryOf, neighboursOf } from '../sources.ts';
import { groupDigits } from '../wording.ts';
import { zhLanguage } from '../zh-languages.ts';
import { zhPlace } from '../zh-names.ts';
import { COUNTRY } from './columns.ts';
import type { WideSpec } from './spec.ts';
import { filledColumns } from './spec.ts';

type Spec = WideSpec<Country>;
const { country, capital, area, languages, currency, subregion } = COUNTRY;

const sovereign = countries.filter(({ status }) => status === 'sovereign');
const inRegion = (region: string): Country[] => sovereign.filter((row) => row.region === region);
const the = (region: string): string => (/^(Americas|Caribbean)$/.test(region) ? `the ${region}` : region);

/** Two to four attribute columns, chosen by the topic. */
function columnsFor(topic: string, rows: readonly Country[], more: Spec['columns'] = []): Spec['columns'] {
  const hash = hashText(topic);
  const candidates = [capital, area, languages, currency, ...more];
  return [country, ...filledColumns(rows, candidates, hash % 7, 2 + (hash % 3))];
}

/** All questions whose rows are countries, the fixed one first. */
export const countrySpecs = (): Spec[] => [
  ...landlockedSpecs(),
  ...subregionSpecs(),
  ...filterSpecs(),
  ...borderSpecs(),
  ...sharedSpecs(),
];

function landlockedSpecs(): Spec[] {
  return ['Africa', 'Asia', 'Europe', 'Americas'].map((region): Spec => {
    const rows = inRegion(region).filter(({ landlocked }) => landlocked);
    const topic = `landlocked:${region}`;
    return {
      topic,
      kind: 'list',
      lead: {
        en: `List all landlocked sovereign states in ${the(region)}, leaving out territories and states with limited recognition.`,
        zh: `请列出${zhPlace(region)}所有的内陆主权国家，不计地区和仅获部分承认的国家。`,
      },
      rows,
      columns:
        region === 'Africa' ? [country, capital, area, languages] : columnsFor(topic, rows, [subregion]),
      ...(region === 'Africa' && {
        fixed: {
          en: 'Which landlocked countries are in Africa? Give the capital, area and official languages of each.',
        },
      }),
    };
  });
}

function subregionSpecs(): Spec[] {
  return distinct((row) => [row.subregion]).flatMap((name): Spec[] => {
    const rows = sovereign.filter((row) => row.subregion === name);
    if (rows.length < 2) return [];
    const topic = `subregion:${name}`;
    const columns = columnsFor(topic, rows);
    const list: Spec = {
      topic,
      kind: 'list',
      lead: {
        en: `Which sovereign states belong to the subregion ${name}? Leave out territories and states with limited recognition.`,
        zh: `${zhPlace(name)}有哪些主权国家？不计地区和仅获部分承认的国家。`,
      },
      rows,
      columns,
    };
    const anchor = rows[hashText(`${topic}#anchor`) % rows.length];
    if (!anchor || rows.length < 4 || hashText(topic) % 2 === 0) return [list];
    const twoStep: Spec = {
      topic,
      kind: 'two-step',
      lead: {
        en: `Find the subregion of ${inSentence(anchor)} and list all sovereign states of that subregion, ${inSentence(anchor)} included.`,
        zh: `先查明${anchor.zhName}属于哪个次区域，再列出该次区域的所有主权国家（包括${anchor.zhName}）。`,
      },
      rows,
      columns: [country, languages, ...columns.filter((column) => column === area)],
    };
    return [list, twoStep];
  });
}

const over = (limit: number) => (row: Country) => (row.area ?? 0) > limit;
const under = (limit: number) => (row: Country) => (row.area ?? limit) < limit;
const speaks = (language: string) => (row: Country) => row.languages.includes(language);
const island = (row: Country): boolean => row.borders.length === 0;

function filterSpecs(): Spec[] {
  const make = (topic: string, en: string, zh: string, rows: readonly Country[]): Spec => ({
    topic,
    kind: 'filter',
    lead: { en, zh },
    rows,
    columns: columnsFor(topic, rows, [subregion]),
  });
  const sized = [
    ['Africa', 1_000_000],
    ['Asia', 1_000_000],
    ['Americas', 500_000],
    ['Europe', 300_000],
  ] as const;
  const small = [
    ['Europe', 3_000],
    ['Oceania', 1_000],
    ['Asia', 20_000],
    ['Americas', 120_000],
    ['Africa', 12_000],
  ] as const;
  const spoken = [
    ['Africa', 'French'],
    ['Africa', 'Arabic'],
    ['Africa', 'Portuguese'],
    ['Africa', 'English'],
    ['Asia', 'Arabic'],
    ['Asia', 'English'],
    ['Americas', 'Spanish'],
    ['Americas', 'French'],
    ['Europe', 'German'],
    ['Europe', 'French'],
    ['Asia', 'Russian'],
  ] as const;
  const landlockedLarge = inRegion('Africa').filter((row) => row.landlocked && over(500_000)(row));
  return [
    make(
      'landlocked:Africa',
      'Which landlocked countries in Africa have an area of more than 500,000 km²?',
      '非洲有哪些内陆国家的面积超过500,000平方公里？',
      landlockedLarge,
    ),
    ...sized.map(([region, limit]) =>
      make(
        `over:${region}`,
        `Which sovereign states in ${the(region)} have an area of more than ${groupDigits(limit, ',')} km²?`,
        `${zhPlace(region)}有哪些主权国家的面积超过${groupDigits(limit, ',')}平方公里？`,
        inRegion(region).filter(over(limit)),
      ),
    ),
    ...small.map(([region, limit]) =>
      make(
        `under:${region}`,
        `Which sovereign states in ${the(region)} have an area of less than ${groupDigits(limit, ',')} km²?`,
        `${zhPlace(region)}有哪些主权国家的面积小于${groupDigits(limit, ',')}平方公里？`,
        inRegion(region).filter(under(limit)),
      ),
    ),
    ...spoken.map(([region, language]) =>
      make(
        `language:${language}:${region}`,
        `In which sovereign states in ${the(region)} is ${language} an official language?`,
        `${zhPlace(region)}有哪些主权国家以${zhLanguage(language)}为官方语言（包括官方语言之一）？`,
        inRegion(region).filter(speaks(language)),
      ),
    ),
    ...['Africa', 'Asia', 'Americas', 'Oceania', 'Europe'].map((region) =>
      make(
        `islands:${region}`,
        `Which sovereign states in ${the(region)} have no land border with any other country?`,
        `${zhPlace(region)}有哪些主权国家没有陆地邻国？`,
        inRegion(region).filter(island),
      ),
    ),
  ];
}

const BORDERED = 'AUT DEU CHE HUN POL CZE TZA NER MLI TCD SDN UGA LAO IRN ARG BOL KAZ UZB UKR CMR'.split(' ');

function borderSpecs(): Spec[] {
  return BORDERED.map(countryOf).map((base): Spec => {
    const rows = neighboursOf(base);
    const topic = `borders:${base.name}`;
    const viaCapital = hashText(topic) % 2 === 0;
    return {
      topic,
      kind: 'two-step',
      lead: {
        en: viaCapital
          ? `${base.capitals[0]} is the capital of a country. Which countries border that country?`
          : `Which countries border ${inSentence(base)}?`,
        zh: viaCapital
          ? `${base.capitals[0]}是某国的首都。请列出与该国接壤的国家。`
          : `哪些国家与${base.zhName}接壤？`,
      },
      rows,
      columns: columnsFor(topic, rows, [subregion]),
    };
  });
}

function sharedSpecs(): Spec[] {
  const anchors = [
    ['XOF', 'SEN'],
    ['XAF', 'GAB'],
    ['XCD', 'GRD'],
    ['EUR', 'FIN'],
    ['USD', 'ECU'],
    ['AUD', 'NRU'],
    ['ZAR', 'LSO'],
  ] as const;
  return anchors.map(([code, anchor]): Spec => {
    const uses = (row: Country): boolean => row.currencies.some((money) => money.code === code);
    const rows = sovereign.filter(uses);
    const name =
      rows.flatMap(({ currencies }) => currencies).find((money) => money.code === code)?.name ?? code;
    const topic = `currency:${code}`;
    const base = countryOf(anchor);
    const single = base.currencies.length === 1;
    return {
      topic,
      kind: single ? 'two-step' : 'filter',
      lead: {
        en: single
          ? `Which sovereign states use the same currency as ${inSentence(base)}, alone or beside others? Include ${inSentence(base)}.`
          : `Which sovereign states use the ${name}, alone or beside other currencies?`,
        zh: single
          ? `哪些主权国家与${base.zhName}使用同一种货币（也可同时使用其他货币）？请包括${base.zhName}本身。`
          : `哪些主权国家使用代码为${code}的货币（也可同时使用其他货币）？`,
      },
      rows,
      columns: [
        country,
        ...filledColumns(rows, [capital, area, languages, subregion], hashText(topic) % 4, 3),
      ],
    };
  });
}
