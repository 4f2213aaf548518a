import { hashText, pick } from './seeded.ts';
import type { Country, Element } from './sources.ts';
import { spokenOrder } from './sources.ts';
import type { SamplePage } from './wording.ts';
import { joinParagraphs, listChinese, listEnglish, markdownTable, variedNumber, wikiUrl } from './wording.ts';
import { zhLanguage } from './zh-languages.ts';
import { zhCategory, zhPlace, zhState } from './zh-names.ts';

export type PageLanguage = 'en' | 'zh';

/** A column of a list page: its label and the value for one row; an empty value shows as a dash. */
export interface ListColumn<T> {
  label: string;
  value: (row: T, seed: string) => string;
}

export interface ListSpec<T> {
  language: PageLanguage;
  title: string;
  intro: string;
  outro: string;
  rows: readonly T[];
  name: ListColumn<T>;
  /** At most two of these are shown, and none in some lists: no single page answers a wide question. */
  columns: readonly ListColumn<T>[];
}

/** A list page as a table, as bullets or as running prose, chosen by the title. */
export function listPage<T>(spec: ListSpec<T>): SamplePage {
  const seed = `${spec.language}|list|${spec.title}`;
  const start = hashText(`${seed}#columns`);
  const roomFor = spec.rows.length > 80 ? 0 : spec.rows.length > 40 ? 1 : 2;
  const count = Math.min(roomFor, pick(`${seed}#count`, [0, 1, 1, 2, 2]));
  const shown = Array.from({ length: Math.min(count, spec.columns.length) }, (_, index) => {
    return spec.columns[(start + index) % spec.columns.length] as ListColumn<T>;
  });
  const cells = spec.rows.map((row) =>
    [spec.name, ...shown].map((column) => column.value(row, seed).replaceAll('|', '/') || '–'),
  );
  const styles = spec.rows.length > 40 ? [bulletList, table] : [bulletList, table, enumeration];
  const body = pick(`${seed}#style`, styles)(
    spec.language,
    [spec.name, ...shown].map(({ label }) => label),
    cells,
  );
  const contents = joinParagraphs([spec.intro, body, spec.outro]);
  return { url: wikiUrl(spec.language, spec.title), title: spec.title, contents };
}

type Renderer = (language: PageLanguage, labels: readonly string[], cells: readonly string[][]) => string;

const table: Renderer = (_language, labels, cells) => markdownTable(labels, cells);

const bulletList: Renderer = (language, labels, cells) =>
  cells
    .map(([name = '', ...values]) => {
      const colon = language === 'zh' ? '：' : ': ';
      const told = values.map((value, index) => `${labels[index + 1]}${colon}${value}`);
      return `- ${[name, ...told].join(language === 'zh' ? '，' : '; ')}`;
    })
    .join('\n');

const enumeration: Renderer = (language, labels, cells) => {
  const zh = language === 'zh';
  const items = cells.map(([name = '', ...values]) => {
    const told = values.map((value, index) => `${labels[index + 1]?.toLowerCase()} ${value}`);
    if (values.length === 0) return name;
    return zh ? `${name}（${told.join('，')}）` : `${name} (${told.join('; ')})`;
  });
  return zh ? `包括${listChinese(items)}。` : `They are ${listEnglish(items)}.`;
};

/** Columns of English lists of countries. */
export const countryColumns: readonly ListColumn<Country>[] = [
  { label: 'Capital', value: ({ capitals }) => capitals.join(', ') },
  {
    label: 'Area (km²)',
    value: ({ area }, seed) => (area === null ? '' : variedNumber(seed, area)),
  },
  {
    label: 'Official languages',
    value: (country, seed) => spokenOrder(country, seed + country.code).join(', '),
  },
  { label: 'Currency', value: ({ currencies }) => currencies.map(({ name }) => name).join(', ') },
];

/** Columns of Chinese lists of countries. */
export const zhCountryColumns: readonly ListColumn<Country>[] = [
  { label: '首都', value: ({ capitals }) => capitals.join('、') },
  {
    label: '面积（平方公里）',
    value: ({ area }, seed) => (area === null ? '' : variedNumber(seed, area)),
  },
  {
    label: '官方语言',
    value: (country, seed) =>
      spokenOrder(country, seed + country.code)
        .map(zhLanguage)
        .join('、'),
  },
  { label: '次区域', value: ({ subregion }) => (subregion ? zhPlace(subregion) : '') },
];

/** Columns of English lists of elements. */
export const elementColumns: readonly ListColumn<Element>[] = [
  { label: 'Symbol', value: ({ symbol }) => symbol },
  { label: 'Atomic number', value: ({ number }) => String(number) },
  { label: 'Category', value: ({ category }) => category },
  { label: 'Year of discovery', value: ({ discovered }) => discovered?.toString() ?? 'antiquity' },
];

/** Columns of Chinese lists of elements. */
export const zhElementColumns: readonly ListColumn<Element>[] = [
  { label: '符号', value: ({ symbol }) => symbol },
  { label: '原子序数', value: ({ number }) => String(number) },
  { label: '类别', value: ({ category }) => zhCategory(category) },
  { label: '常温物态', value: ({ state }) => (state === null ? '未知' : zhState(state)) },
];
