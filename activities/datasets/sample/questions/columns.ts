import type { Country, Element } from '../sources.ts';
import { zhLanguage } from '../zh-languages.ts';
import { zhCategory, zhPlace, zhState } from '../zh-names.ts';
import type { WideRecord } from './shape.ts';

export type Language = 'en' | 'zh';
type Step = WideRecord['evaluation']['eval_pipeline'][string];

/** A typed column. `values` gives one entry, or several for a list-valued cell; none where the data has no value. */
export interface Column<T> {
  label: Record<Language, string>;
  kind: 'key' | 'text' | 'number' | 'list';
  /** Relative tolerance of a number column. */
  criterion?: number;
  /** Told in the question, e.g. the unit. */
  note?: Record<Language, string>;
  values: (row: T, language: Language) => string[];
}

/** The form in which the official evaluator knows a column: lower-case, no spaces. */
export const columnName = (column: Column<never>, language: Language): string =>
  column.label[language].toLowerCase().replaceAll(' ', '');

/** Between two accepted orders of one list cell. */
export const ORDER_SEPARATOR = ' // ';

/**
 * The scored text of a list cell. The official functions know no sets. `in_match` asks whether the answer is
 * a substring of the gold, so the gold of two or three values writes out every order; the price is that an
 * answer with only some of the values matches as well. Longer lists (up to 15 values) keep the one
 * alphabetical order that the pages use.
 */
export const orderings = (values: readonly string[]): string =>
  (values.length > 3 ? [[...values]] : permutations(values))
    .map((order) => order.join(', '))
    .join(ORDER_SEPARATOR);

function permutations(values: readonly string[]): string[][] {
  if (values.length < 2) return [[...values]];
  return values.flatMap((first, index) =>
    permutations(values.filter((_, other) => other !== index)).map((rest) => [first, ...rest]),
  );
}

/** The pipeline step of a column; `hasLists`: some cell holds more than one value. */
export function stepOf(column: Column<never>, hasLists: boolean): Step {
  if (column.kind === 'number')
    return { preprocess: ['extract_number'], metric: ['number_near'], criterion: column.criterion ?? 0 };
  return { preprocess: ['norm_str'], metric: [hasLists ? 'in_match' : 'exact_match'] };
}

const number = (value: number | null): string[] => (value === null ? [] : [String(value)]);
const optional = (value: string | null): string[] => (value === null ? [] : [value]);

/** Columns of questions about countries. */
export const COUNTRY = {
  country: {
    label: { en: 'Country', zh: '国家' },
    kind: 'key',
    values: ({ name, zhName }, language) => [language === 'en' ? name : zhName],
  },
  capital: {
    label: { en: 'Capital', zh: '首都' },
    kind: 'list',
    note: { en: '', zh: '首都用拉丁字母书写' },
    values: ({ capitals }) => capitals,
  },
  area: {
    label: { en: 'Area', zh: '面积' },
    kind: 'number',
    criterion: 0.01,
    note: { en: 'Area in km² as a plain number', zh: '面积以平方公里为单位' },
    values: ({ area }) => number(area),
  },
  languages: {
    label: { en: 'Official Languages', zh: '官方语言' },
    kind: 'list',
    values: ({ languages }, language) => (language === 'en' ? languages : languages.map(zhLanguage)),
  },
  currency: {
    label: { en: 'Currency', zh: '货币代码' },
    kind: 'list',
    note: { en: 'Currency by its full name', zh: '货币用三个字母的国际代码表示' },
    values: ({ currencies }, language) =>
      currencies.map(({ name, code }) => (language === 'en' ? name : code)),
  },
  subregion: {
    label: { en: 'Subregion', zh: '次区域' },
    kind: 'text',
    values: ({ subregion }, language) =>
      optional(subregion === null || language === 'en' ? subregion : zhPlace(subregion)),
  },
} as const satisfies Record<string, Column<Country>>;

/** One official language of one country: a row of the `pairs` questions, which need no list cells. */
export interface Spoken {
  country: Country;
  language: string;
}

export const SPOKEN = {
  country: {
    label: { en: 'Country', zh: '国家' },
    kind: 'key',
    values: ({ country }, language) => [language === 'en' ? country.name : country.zhName],
  },
  language: {
    label: { en: 'Official Language', zh: '官方语言' },
    kind: 'key',
    values: (row, language) => [language === 'en' ? row.language : zhLanguage(row.language)],
  },
  capital: {
    label: { en: 'Capital', zh: '首都' },
    kind: 'list',
    values: ({ country }) => country.capitals,
  },
} as const satisfies Record<string, Column<Spoken>>;

/** Columns of questions about elements. */
export const ELEMENT = {
  element: {
    label: { en: 'Element', zh: '元素' },
    kind: 'key',
    values: ({ name, zhName }, language) => [language === 'en' ? name : zhName],
  },
  symbol: { label: { en: 'Symbol', zh: '符号' }, kind: 'text', values: ({ symbol }) => [symbol] },
  number: {
    label: { en: 'Atomic Number', zh: '原子序数' },
    kind: 'number',
    criterion: 0,
    values: (element) => number(element.number),
  },
  mass: {
    label: { en: 'Atomic Mass', zh: '相对原子质量' },
    kind: 'number',
    criterion: 0.001,
    values: ({ mass }) => number(mass),
  },
  category: {
    label: { en: 'Category', zh: '类别' },
    kind: 'text',
    values: ({ category }, language) => [language === 'en' ? category : zhCategory(category)],
  },
  state: {
    label: { en: 'State', zh: '常温物态' },
    kind: 'text',
    note: {
      en: 'State is the state of matter at room temperature: gas, liquid or solid',
      zh: '物态写作气态、液态或固态',
    },
    values: ({ state }, language) => optional(state === null || language === 'en' ? state : zhState(state)),
  },
  melting: {
    label: { en: 'Melting Point', zh: '熔点' },
    kind: 'number',
    criterion: 0.01,
    note: { en: 'Melting Point in kelvin', zh: '熔点以开尔文为单位' },
    values: ({ melting }) => number(melting),
  },
  boiling: {
    label: { en: 'Boiling Point', zh: '沸点' },
    kind: 'number',
    criterion: 0.01,
    note: { en: 'Boiling Point in kelvin', zh: '沸点以开尔文为单位' },
    values: ({ boiling }) => number(boiling),
  },
  density: {
    label: { en: 'Density', zh: '密度' },
    kind: 'number',
    criterion: 0.01,
    note: { en: 'Density in g/cm³', zh: '密度以克每立方厘米为单位' },
    values: ({ density }) => number(density),
  },
  discovered: {
    label: { en: 'Year of Discovery', zh: '发现年份' },
    kind: 'number',
    criterion: 0,
    values: ({ discovered }) => number(discovered),
  },
} as const satisfies Record<string, Column<Element>>;
