import { fold } from './text.ts';

/** A number as it stands in a text. */
export interface Quantity {
  /** Position of its first digit. */
  start: number;
  end: number;
  /** Parsed value, multiplied out (`1.2 million`). */
  value: number;
  /** Number and unit as written, with ordinary group commas. */
  text: string;
  /** Number alone, without grouping. */
  digits: string;
  unit: string;
  /** What the unit measures; empty for a bare number. */
  dimension: string;
}

/** Spellings of common units, by what they measure. */
const UNITS: Readonly<Record<string, readonly string[]>> = {
  area: [
    'km²',
    'km2',
    'sq km',
    'square kilometres',
    'square kilometers',
    'square kilometre',
    'square kilometer',
    'm²',
    'm2',
    'square metres',
    'square meters',
    'sq mi',
    'square miles',
    'hectares',
    'hectare',
    'ha',
    'acres',
    '平方公里',
    '平方千米',
    '平方米',
    '公顷',
  ],
  density: [
    'g/cm³',
    'g/cm3',
    'kg/m³',
    'kg/m3',
    'grams per cubic centimetre',
    'grams per cubic centimeter',
    'g/l',
    '克每立方厘米',
    '克/立方厘米',
  ],
  length: [
    'kilometres',
    'kilometers',
    'kilometre',
    'kilometer',
    'metres',
    'meters',
    'metre',
    'meter',
    'miles',
    'feet',
    'km',
    'cm',
    'mm',
    'pm',
    'nm',
    'mi',
    'ft',
    'm',
    '公里',
    '千米',
    '厘米',
    '米',
    '英里',
    '英尺',
  ],
  mass: [
    'kilograms',
    'tonnes',
    'grams',
    'pounds',
    'kg',
    'lb',
    'u',
    'Da',
    'g',
    't',
    '千克',
    '公斤',
    '吨',
    '克',
  ],
  temperature: ['degrees celsius', '°C', '°F', 'kelvin', 'K', '摄氏度', '开尔文', '开', '℃'],
  time: ['years', 'days', 'hours', 'minutes', 'seconds', '小时', '天'],
  share: ['%', 'percent', 'per cent'],
  money: ['dollars', 'euros', 'USD', 'EUR', '美元', '欧元', '元'],
  power: ['MW', 'GW', 'kW', 'megawatts', '兆瓦', '千瓦'],
  volume: ['km³', 'm³', 'litres', 'liters', '立方米', '立方公里'],
};

const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
const units = Object.entries(UNITS)
  .flatMap(([dimension, names]) => names.map((name) => ({ dimension, name })))
  .sort((a, b) => b.name.length - a.name.length);
const UNIT = units.map(({ name }) => escape(name).replaceAll(' ', '[\\s\\u00a0]')).join('|');
const SCALE = 'thousand|million|billion|trillion|万|亿';
const SCALES: Readonly<Record<string, number>> = {
  thousand: 1e3,
  million: 1e6,
  billion: 1e9,
  trillion: 1e12,
  万: 1e4,
  亿: 1e8,
};
const NUMBER = new RegExp(
  `(?<![\\p{Lu}\\p{Ll}\\p{N}_.,])(?<num>[-−–]?\\d{1,3}(?:[,\\u00a0\\u202f' ]\\d{3})+(?:\\.\\d+)?|[-−–]?\\d+(?:\\.\\d+)?)(?!\\p{N})(?:[\\s\\u00a0]?(?<scale>${SCALE})(?![a-z]))?(?:[\\s\\u00a0]?(?<unit>${UNIT})(?![\\p{Ll}\\p{Lu}²³]))?`,
  'giu',
);

/** Every number of a text with its unit, in order. */
export function quantitiesIn(text: string): Quantity[] {
  return [...text.matchAll(NUMBER)].map((match) => {
    const { num = '', scale = '', unit = '' } = match.groups ?? {};
    const digits = num.replace(/[,\u00a0\u202f' ]/g, '').replace(/^[−–]/, '-');
    const rest = match[0].slice(num.length).replace(/\u00a0/g, ' ');
    return {
      start: match.index,
      end: match.index + match[0].length,
      value: Number(digits) * (SCALES[scale.toLowerCase()] ?? 1),
      text: num.replace(/[\u00a0\u202f' ]/g, ',').replace(/^[−–]/, '-') + rest,
      digits: scale === '' ? digits : String(Number(digits) * (SCALES[scale.toLowerCase()] ?? 1)),
      unit,
      dimension: dimensionOfUnit(unit),
    };
  });
}

function dimensionOfUnit(unit: string): string {
  if (unit === '') return '';
  const spaced = unit.replace(/\u00a0/g, ' ');
  const exact =
    units.find(({ name }) => name === spaced) ??
    units.find(({ name }) => name.toLowerCase() === spaced.toLowerCase());
  return exact?.dimension ?? '';
}

/** One spelling per unit, so that `km2`, `sq km` and `km²` compare equal. */
export function sameUnit(a: string, b: string): boolean {
  const reduce = (unit: string): string =>
    fold(unit.replace('²', '2').replace('³', '3'))
      .replace(/square kilomet(?:re|er)s?|sq km|平方公里|平方千米/g, 'km2')
      .replace(/square met(?:re|er)s?|平方米/g, 'm2')
      .replace(/kilomet(?:re|er)s?|公里|千米/g, 'km')
      .replace(/\bmet(?:re|er)s?\b|^米$/g, 'm')
      .replace(/\s+/g, '');
  return reduce(a) === reduce(b);
}

/** The unit that a column name asks for, as in `Area (km²)` or `length in km`; empty where it names none. */
export function unitOfColumn(column: string): string {
  const inside =
    /[(（[]\s*(?:in\s+)?([^)）\]]+?)\s*[)）\]]/u.exec(column)?.[1] ??
    /\bin\s+(.+)$/i.exec(column)?.[1] ??
    /[/／]\s*(\S+)$/.exec(column)?.[1] ??
    '';
  return dimensionOfUnit(inside) === '' ? '' : inside;
}

export const dimensionOfColumnUnit = (column: string): string => dimensionOfUnit(unitOfColumn(column));
