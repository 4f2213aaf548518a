import { hashText, pick } from './seeded.ts';

export interface SamplePage {
  url: string;
  title: string;
  /** Markdown. */
  contents: string;
}

/** One line of a page's info block. */
export type InfoLine = readonly [label: string, value: string];

const NO_BREAK_SPACE = '\u00a0';

/** `1234567.5` as `1,234,567.5`, with the given separator between the groups of three. */
export function groupDigits(value: number, separator: string): string {
  const [whole = '', fraction] = String(value).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, separator);
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** A number the way different editors write it: commas, no-break spaces or bare digits. */
export const variedNumber = (seed: string, value: number): string =>
  pick(`${seed}#number`, [
    groupDigits(value, ','),
    groupDigits(value, ','),
    groupDigits(value, NO_BREAK_SPACE),
    String(value),
  ]);

/** Three significant digits in millions, e.g. `1.27 million`; within half a percent of `value`. */
export const inMillions = (value: number): string => `${Number((value / 1e6).toPrecision(3))} million`;

/** `a, b and c`. */
export function listEnglish(items: readonly string[]): string {
  if (items.length < 2) return items.join('');
  return `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
}

/** `甲、乙和丙`. */
export function listChinese(items: readonly string[]): string {
  if (items.length < 2) return items.join('');
  return `${items.slice(0, -1).join('、')}和${items.at(-1)}`;
}

export type Placement = 'both' | 'prose' | 'block';

/** Where a page states a fact: about half the facts stand in one place only, as on real pages. */
export const placementOf = (page: string, fact: string): Placement =>
  pick(`${page}|place|${fact}`, ['both', 'both', 'prose', 'block'] as const);

/** `https://sample.wideseek.example/en/wiki/Burkina_Faso`. */
export const wikiUrl = (language: 'en' | 'zh', title: string): string =>
  `https://sample.wideseek.example/${language}/wiki/${encodeURIComponent(title.replaceAll(' ', '_'))}`;

/** The info block in one of three layouts. */
export function renderBlock(
  seed: string,
  lines: readonly InfoLine[],
  heading: readonly [string, string],
): string {
  const style = hashText(`${seed}#block`) % 3;
  if (style === 0) return lines.map(([label, value]) => `${label}: ${value}`).join('\n');
  if (style === 1) return lines.map(([label, value]) => `- ${label}: ${value}`).join('\n');
  return markdownTable(heading, lines);
}

/** A GFM table; cells must not hold pipes. */
export function markdownTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Non-empty paragraphs with an empty line between them. */
export const joinParagraphs = (parts: readonly string[]): string => parts.filter(Boolean).join('\n\n');

const EARTH_RADIUS_KM = 6371;

/** Great-circle distance in km between two points in degrees. */
export function distanceKm(
  a: { latitude: number; longitude: number },
  b: { latitude: number; longitude: number },
): number {
  const rad = (degrees: number): number => (degrees * Math.PI) / 180;
  const halfLat = Math.sin(rad(b.latitude - a.latitude) / 2) ** 2;
  const halfLon = Math.sin(rad(b.longitude - a.longitude) / 2) ** 2;
  const chord = halfLat + Math.cos(rad(a.latitude)) * Math.cos(rad(b.latitude)) * halfLon;
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.sqrt(chord));
}
