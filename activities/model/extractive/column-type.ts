import { dimensionOfColumnUnit, unitOfColumn } from './quantities.ts';
import { isHan, splitEnumeration, stem, terms } from './text.ts';

/** What kind of value a column wants, judged by its name alone. */
export interface ColumnType {
  kind: 'number' | 'year' | 'text';
  /** True where the column asks for a place that contains the entity. */
  place: boolean;
  /** What a number measures, where the name tells; see `quantities.ts`. */
  dimension: string;
  /** Unit that the name asks for, else empty. */
  unit: string;
  /** True where several values are welcome. */
  many: boolean;
  /** Values among which the column chooses, where its name lists them, as in `State (gas, liquid or solid)`. */
  options: string[];
  /** Terms to look for in the page. */
  terms: string[];
}

/** Words for measurements, by dimension; the general vocabulary of tables, not of a topic. */
const MEASURES: Readonly<Record<string, RegExp>> = {
  area: /^(?:area|surface|acreage)$|面积/,
  density: /^density$|密度/,
  length:
    /^(?:length|height|elevation|altitude|depth|width|diameter|radius|distance|span)$|长度|全长|高度|海拔|深度|宽度|直径|半径|距离/,
  mass: /^(?:mass|weight)$|质量|重量/,
  temperature: /^(?:temperature)$|温度|[熔沸冰露]点/,
  any: /^(?:population|number|count|total|capacity|size|speed|price|cost|volume|age|rank|score|enrolment|enrollment)$|人口|数量|数$|人数|容量|价格|速度|序数|年龄/,
};
const PLACE =
  /(?:region|continent|county|province|district|location|parish)$|(?:区域|地区|大洲|省份|所在地)$/iu;
const YEAR =
  /^(?:year|date|when|founded|established|built|opened|completed|discovered|born|died|since|discovery|foundation|construction|opening)$|年份|年代|日期|时间|年$/;

/** Reads kind, dimension, unit and search terms out of a column name. */
export function columnType(column: string): ColumnType {
  const bare = column
    .replace(/[(（[][^)）\]]*[)）\]]/gu, ' ')
    .replace(/\bin\s+\S+(?:\s+\S+)?$/i, (tail) => (dimensionOfColumnUnit(`x ${tail}`) ? ' ' : tail))
    .trim();
  const unit = unitOfColumn(column);
  const names = terms(bare);
  const tested = isHan(bare) ? [bare] : names;
  const last = /\p{L}+$/u.exec(bare.toLowerCase())?.[0] ?? '';
  const many = !isHan(bare) && last !== stem(last) && !/(?:ss|us|is)$/.test(last);
  const options = optionsOf(column);
  const place = PLACE.test(bare);
  const base = { place, unit, options, many: many || isHan(bare), terms: names };
  const who = /\b(?:by|who|where)\b|人$|者$|地点/i.test(bare);
  const fromUnit = dimensionOfColumnUnit(column);
  if (fromUnit !== '') return { ...base, kind: 'number', dimension: fromUnit };
  if (!who && tested.some((name) => YEAR.test(name))) return { ...base, kind: 'year', dimension: '' };
  if (/\bpoints?$/i.test(bare) && names.length > 1)
    return { ...base, kind: 'number', dimension: 'temperature' };
  for (const [dimension, pattern] of Object.entries(MEASURES)) {
    if (tested.some((name) => pattern.test(name)))
      return { ...base, kind: 'number', dimension: dimension === 'any' ? '' : dimension };
  }
  return { ...base, kind: 'text', dimension: '' };
}

/** `State (of matter: gas, liquid or solid)` lists three options; a single word in brackets lists none. */
function optionsOf(column: string): string[] {
  const inside = /[(（]([^)）]*)[)）]/u.exec(column)?.[1]?.replace(/^.*[:：]/u, '') ?? '';
  const listed = splitEnumeration(inside.replace(/或/gu, '、'));
  return listed.length >= 2 && listed.every((option) => option.split(/\s+/).length <= 3) ? listed : [];
}
