import { pluralCategory } from './element-page.ts';
import { elementColumns, listPage } from './list-page.ts';
import { pick } from './seeded.ts';
import type { Element } from './sources.ts';
import { elements } from './sources.ts';
import type { SamplePage } from './wording.ts';
import { listEnglish } from './wording.ts';

/** Half-open ranges of years in which elements were found; list pages and questions use the same ones. */
export const DISCOVERY_RANGES: readonly (readonly [from: number, to: number])[] = [
  [1650, 1770],
  [1770, 1790],
  [1790, 1805],
  [1805, 1820],
  [1820, 1860],
  [1860, 1880],
  [1880, 1900],
  [1900, 1940],
  [1940, 1960],
  [1960, 1990],
  [1990, 2020],
];

export const foundBetween = (from: number, to: number): Element[] =>
  elements.filter(({ discovered }) => discovered !== null && discovered >= from && discovered < to);

/** English list pages about elements: categories, blocks, periods, states of matter, years of discovery. */
export function elementListPages(): SamplePage[] {
  const categories = [...new Set(elements.map(({ category }) => category))];
  return [
    ...categories.map((category) =>
      page(
        `List of ${pluralCategory(category)}`,
        elements.filter((element) => element.category === category),
      ),
    ),
    ...(['s', 'p', 'd', 'f'] as const).map((block) =>
      page(
        `Elements of the ${block}-block`,
        elements.filter((element) => element.block === block),
      ),
    ),
    ...[1, 2, 3, 4, 5, 6, 7].map((period) =>
      page(
        `Elements of period ${period}`,
        elements.filter((element) => element.period === period),
      ),
    ),
    ...(['gas', 'liquid', 'solid'] as const).map((state) =>
      page(
        `Elements that are ${state === 'gas' ? 'gases' : `${state}s`} at room temperature`,
        elements.filter((element) => element.state === state),
      ),
    ),
    page(
      'Elements known since antiquity',
      elements.filter(({ discovered }) => discovered === null),
    ),
    ...DISCOVERY_RANGES.map(([from, to]) =>
      page(`Elements discovered from ${from} to ${to - 1}`, foundBetween(from, to)),
    ),
  ];
}

function page(title: string, rows: readonly Element[]): SamplePage {
  const [first, last] = [rows[0], rows.at(-1)];
  const periods = [...new Set(rows.map(({ period }) => String(period)))];
  const intro = pick(`${title}#intro`, [
    `**${title}.** The list has ${rows.length} members, in the order of their atomic numbers.`,
    `There are ${rows.length} entries in this list (${title.toLowerCase()}), from ${first?.name ?? ''} to ${last?.name ?? ''}.`,
    `The periodic table holds 118 elements; ${rows.length} of them belong to this list, "${title}".`,
  ]);
  const outro =
    `The members stand in period${periods.length > 1 ? 's' : ''} ${listEnglish(periods)} of the periodic table. ` +
    'Chemists group elements by the arrangement of their outer electrons, by their state of matter and by common behaviour; the boundaries between some groups are a matter of convention, and handbooks do not always agree on them. ' +
    'Values for the heaviest elements rest on very few atoms. Years of discovery follow one open data set; where a compound was known long before the pure element, other sources give another year. See the pages of the single elements for their melting points, boiling points, densities and histories.';
  return listPage<Element>({
    language: 'en',
    title,
    intro,
    outro,
    rows,
    name: { label: 'Element', value: ({ name }) => name },
    columns: elementColumns,
  });
}
