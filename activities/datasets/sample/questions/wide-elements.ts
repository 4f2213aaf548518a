import { DISCOVERY_RANGES, foundBetween } from '../element-lists.ts';
import { pluralCategory } from '../element-page.ts';
import { hashText } from '../seeded.ts';
import type { Element } from '../sources.ts';
import { elements } from '../sources.ts';
import { zhCategory } from '../zh-names.ts';
import { ELEMENT } from './columns.ts';
import type { WideSpec } from './spec.ts';
import { filledColumns } from './spec.ts';

type Spec = WideSpec<Element>;
const { element, symbol, number, mass, category, state, melting, boiling, density, discovered } = ELEMENT;

function make(
  topic: string,
  kind: Spec['kind'],
  en: string,
  zh: string,
  rows: readonly Element[],
  omit: Spec['columns'] = [],
): Spec {
  const hash = hashText(topic);
  const all = [symbol, discovered, melting, mass, density, number, boiling, category, state];
  const candidates = all.filter((column) => !omit.includes(column));
  const columns = [element, ...filledColumns(rows, candidates, hash % 9, 2 + (hash % 4))];
  return { topic, kind, lead: { en, zh }, rows, columns };
}

/** All questions whose rows are chemical elements. */
export function elementSpecs(): Spec[] {
  const categories = [...new Set(elements.map((row) => row.category))];
  const found = DISCOVERY_RANGES.filter(([from, to]) => foundBetween(from, to).length >= 2);
  return [
    ...categories.map((name) =>
      make(
        `category:${name}`,
        'list',
        `Which chemical elements belong to the ${pluralCategory(name)}?`,
        `哪些化学元素属于${zhCategory(name)}？`,
        elements.filter((row) => row.category === name),
        [category],
      ),
    ),
    ...[2, 3, 4, 5, 6].map((period) => {
      const noble = elements.find((row) => row.period === period && row.category === 'noble gas');
      return make(
        `period:${period}`,
        'two-step',
        `List all chemical elements in the period of the periodic table to which ${noble?.name.toLowerCase() ?? ''} belongs.`,
        `请列出${noble?.zhName ?? ''}所在周期的全部化学元素。`,
        elements.filter((row) => row.period === period),
      );
    }),
    ...found.map(([from, to]) =>
      make(
        `found:${from}`,
        'filter',
        `Which chemical elements were discovered in the years from ${from} to ${to - 1}?`,
        `哪些化学元素是在${from}年至${to - 1}年间发现的？`,
        foundBetween(from, to),
      ),
    ),
    ...valueFilters(),
  ];
}

function valueFilters(): Spec[] {
  const gases = elements.filter((row) => row.state === 'gas');
  return [
    make(
      'state:gas',
      'filter',
      'Which chemical elements are gases at room temperature?',
      '哪些化学元素在常温下呈气态？',
      gases,
      [state],
    ),
    make(
      'state:liquid',
      'filter',
      'Which chemical elements are liquids at room temperature?',
      '哪些化学元素在常温下呈液态？',
      elements.filter((row) => row.state === 'liquid'),
      [state],
    ),
    make(
      'antiquity',
      'filter',
      'Which chemical elements have been known since antiquity?',
      '哪些化学元素自古已为人所知？',
      elements.filter((row) => row.discovered === null),
    ),
    make(
      'melting:2500',
      'filter',
      'Which transition metals have a melting point above 2,500 K?',
      '哪些过渡金属的熔点高于2500 K？',
      elements.filter((row) => row.category === 'transition metal' && (row.melting ?? 0) > 2500),
      [category],
    ),
    make(
      'density:15',
      'filter',
      'Which transition metals have a density of more than 15 g/cm³?',
      '哪些过渡金属的密度大于15 g/cm³？',
      elements.filter((row) => row.category === 'transition metal' && (row.density ?? 0) > 15),
      [category],
    ),
    make(
      'category:noble gas',
      'filter',
      'Which noble gases were discovered before 1900?',
      '哪些稀有气体是在1900年以前发现的？',
      elements.filter((row) => row.category === 'noble gas' && (row.discovered ?? 9999) < 1900),
      [category],
    ),
    make(
      'block:s',
      'list',
      'Which chemical elements belong to the s-block of the periodic table?',
      '哪些化学元素属于元素周期表的s区？',
      elements.filter((row) => row.block === 's'),
    ),
  ];
}
