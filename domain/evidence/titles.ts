import { isUnspaced } from './fold.ts';
import { isNumber, tokenize } from './tokens.ts';
import type { Token } from './tokens.ts';

/** Words that a page about an entity may have in its title besides the entity's name. */
const BENIGN = new Set(
  (
    'the a an of in on for and about facts fact profile overview information info guide map maps country data statistics stats summary home page' +
    ' official website site wiki wikipedia wikidata britannica encyclopedia encyclopaedia live biography history geography economy population' +
    ' demographics politics government culture climate capital area currency language languages inc ltd llc corp corporation company co plc gmbh'
  ).split(' '),
);
const BENIGN_UNSPACED =
  /(?:国家概况|百度百科|维基百科|自由的百科全书|概况|简介|介绍|资料|人口|经济|首都|地理|历史|面积|的|基本)/gu;

/** The parts of a page title, cut at `|`, `:` and spaced dashes, without brackets. */
export const titleSegments = (title: string): string[] =>
  title
    .replace(/[(（][^)）]*[)）]/gu, ' ')
    .split(/\s+[-–—·]\s+|\s*[|｜_]\s*|[:：](?=\s|\p{sc=Han})/u)
    .map((segment) => segment.trim())
    .filter((segment) => segment !== '');

const keysOf = (tokens: readonly Token[]): string[] => tokens.map((token) => token.key);

/** A name as a map key: folded tokens in order, without a leading article. */
export const nameKey = (name: string): string => {
  const keys = keysOf(tokenize(name));
  return (keys.length > 1 && keys[0] === 'the' ? keys.slice(1) : keys).join(' ');
};

/** What a page's title says about whom the page is about. */
export interface TitleReading {
  /** Name keys of its segments and of the whole title. */
  exact: ReadonlySet<string>;
  segments: readonly (readonly Token[])[];
}

/** Reads a title once. */
export const readTitle = (title: string): TitleReading => {
  const segments = titleSegments(title);
  return {
    exact: new Set([...segments, title].map(nameKey).filter((key) => key !== '')),
    segments: segments.map((segment) => tokenize(segment)),
  };
};

/**
 * 2: a segment of the title is the name; 1: a segment is the name and only words such as `population of` or `profile`;
 * 0: the page is about something else, or about a longer name (`Niger River` is not about `Niger`).
 */
export const aboutness = (title: TitleReading, name: string, columnWords: ReadonlySet<string>): 0 | 1 | 2 => {
  const key = nameKey(name);
  if (key === '') return 0;
  if (title.exact.has(key)) return 2;
  const wanted = key.split(' ');
  for (const segment of title.segments) {
    const keys = keysOf(segment);
    const from = keys.findIndex((_, at) => wanted.every((each, offset) => keys[at + offset] === each));
    if (from < 0) continue;
    const others = [...segment.slice(0, from), ...segment.slice(from + wanted.length)];
    const words = others.filter((token) => !isUnspaced(token.key) && !isNumber(token));
    const rest = others.filter((token) => isUnspaced(token.key)).map((token) => token.key);
    if (!words.every((token) => BENIGN.has(token.key) || columnWords.has(token.key))) continue;
    if (rest.join('').replace(BENIGN_UNSPACED, '') === '') return 1;
  }
  return 0;
};
