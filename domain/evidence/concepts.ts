import { isUnspaced } from './fold.ts';
import { isNumber, tokenize } from './tokens.ts';
import type { Token } from './tokens.ts';

/** Words that pages use for the same attribute, and that therefore tell attributes apart. English and Chinese. */
const CONCEPTS: readonly (readonly [string, string])[] = [
  ['capital', 'capital,capitals,首都,省会,首府'],
  ['largest city', '最大城市'],
  ['area', 'area,areas,size,面积'],
  ['population', 'population,inhabitants,人口'],
  ['density', 'density,密度,人口密度'],
  ['language', 'language,languages,语言,官方语言'],
  ['currency', 'currency,currencies,货币'],
  ['region', 'region,subregion,地区'],
  ['continent', 'continent,大洲'],
  ['border', 'border,borders,bordering,neighbours,neighbors,接壤,邻国'],
  ['founded', 'founded,founding,foundation,established,establishment,inception,成立,创立,创办,建立,创建'],
  ['born', 'born,birth,birthday,birthdate,出生,生于'],
  ['died', 'died,death,deceased,逝世,去世'],
  ['independence', 'independence,independent,独立'],
  ['released', 'released,release,premiered,premiere,发行,上映,发布'],
  ['opened', 'opened,opening,inaugurated,开业,开放,启用'],
  ['completed', 'completed,completion,竣工,建成'],
  ['discovered', 'discovered,discovery,discoverer,发现'],
  ['height', 'height,tall,elevation,altitude,高度,海拔'],
  ['length', 'length,long,长度,全长'],
  ['weight', 'weight,mass,重量,质量'],
  ['atomic number', '原子序数'],
  ['symbol', 'symbol,符号,元素符号'],
  ['director', 'director,directed,directors,导演'],
  ['author', 'author,authors,written,writer,作者'],
  ['publisher', 'publisher,published,出版社'],
  ['president', 'president,总统'],
  ['ceo', 'ceo,首席执行官'],
  ['headquarters', 'headquarters,headquartered,hq,总部'],
  ['location', 'location,地点'],
  ['revenue', 'revenue,revenues,turnover,营收,收入'],
  ['profit', 'profit,net income,利润'],
  ['employees', 'employees,staff,workforce,员工'],
  ['gdp', 'gdp,国内生产总值'],
  ['team', 'team,club,球队,俱乐部'],
  ['goals', 'goals,进球'],
  ['winner', 'winner,won,champion,champions,冠军'],
];
const GENERIC = new Set(
  (
    'the a an of in on at for by to and or official name names total date year years number no count amount type list current value unit' +
    ' s its most main'
  ).split(' '),
);
const MODIFIERS = new Set(['per', 'density', 'growth', 'rank', 'change']);

const conceptOf = new Map<string, string>();
for (const [concept, forms] of CONCEPTS) for (const form of forms.split(',')) conceptOf.set(form, concept);
for (const [concept] of CONCEPTS) if (concept.includes(' ')) conceptOf.set(concept, concept);

const stem = (word: string): string => {
  if (word.length < 5) return word.length > 3 ? word.replace(/s$/, '') : word;
  return word
    .replace(/ies$/, 'y')
    .replace(/(?<=[a-z]{3})(?:es|ed|ing|er|or|s)$/, '')
    .replace(/e$/, '');
};

/** What a column, a header or a field label is about. */
export interface Attribute {
  /** Significant words, stemmed, in order; the last one before a preposition is the head. Empty for unspaced scripts. */
  words: readonly string[];
  head: string;
  /** Significant characters of unspaced scripts. */
  unspaced: string;
  concept?: string;
  modified: boolean;
}

const cache = new Map<string, Attribute>();

/** Reads the name of a column, header or label; brackets (`(km²)`, `(2020)`) do not count. */
export const attributeOf = (name: string): Attribute => {
  const known = cache.get(name);
  if (known) return known;
  const plain = name.replace(/[(（[][^)）\]]*[)）\]]/gu, ' ').replace(/[*_`#]/g, ' ');
  const tokens = tokenize(plain).filter((token) => !isNumber(token));
  const all = tokens.filter((token) => !isUnspaced(token.key)).map((token) => token.key);
  const significant = all.filter((word) => !GENERIC.has(word));
  const kept = significant.length > 0 ? significant : all.filter((word) => !/^(?:the|a|an|of)$/.test(word));
  const beforeOf = all
    .slice(
      0,
      Math.max(
        1,
        all.findIndex((word) => /^(?:of|in|by|per)$/.test(word)),
      ),
    )
    .at(-1);
  const head = beforeOf && all.includes('of') && kept.includes(beforeOf) ? beforeOf : (kept.at(-1) ?? '');
  const unspaced = tokens
    .filter((token) => isUnspaced(token.key))
    .map((token) => token.key)
    .join('')
    .replace(/^官方(?=.{2})/u, '')
    .replace(/(?<=.{2})(?:日期|时间|年份|名称|年)$/u, '');
  const phrase = kept.join(' ');
  const concept =
    conceptOf.get(phrase) ??
    conceptOf.get(head) ??
    [...conceptOf.keys()]
      .filter((form) => isUnspaced(form[0] ?? '') && unspaced.endsWith(form))
      .map((f) => conceptOf.get(f))[0];
  const attribute = {
    words: kept.map(stem),
    head: stem(head),
    unspaced,
    concept: phrase === 'largest city' || phrase === 'biggest city' ? 'largest city' : concept,
    modified: all.some((word) => MODIFIERS.has(word)),
  };
  if (cache.size > 20_000) cache.clear();
  cache.set(name, attribute);
  return attribute;
};

/** True where a label or header loosely means the column. */
export const sameAttribute = (label: Attribute, column: Attribute): boolean => {
  if (label.modified !== column.modified) return false;
  if (label.unspaced && column.unspaced) {
    if (label.unspaced.endsWith(column.unspaced) || column.unspaced.endsWith(label.unspaced)) return true;
  }
  if (label.concept && label.concept === column.concept) return true;
  if (!label.head || !column.head) return false;
  const inColumn = label.words.filter((word) => column.words.includes(word)).length;
  if (inColumn === label.words.length || inColumn === column.words.length) return label.head === column.head;
  return false;
};

/** `other` where the label is known to mean something else than the column; `unknown` where nothing is known. */
export const relation = (
  label: Attribute,
  column: Attribute,
  columns: readonly Attribute[],
): 'same' | 'other' | 'unknown' => {
  if (sameAttribute(label, column)) return 'same';
  if (label.concept && column.concept) return 'other';
  return columns.some((each) => each !== column && sameAttribute(label, each)) ? 'other' : 'unknown';
};

/** A place where a passage speaks of an attribute: tokens `[from, to)`. */
export interface Mention {
  from: number;
  to: number;
  concept?: string;
  word: string;
}

const UNSPACED_FORMS = [...conceptOf.keys()]
  .filter((form) => isUnspaced(form[0] ?? ''))
  .sort((a, b) => b.length - a.length);

/** All words of a passage that could name an attribute, in order; the longest form wins (`人口密度` is no `人口`). */
export const mentionsIn = (tokens: readonly Token[]): Mention[] => {
  const found: Mention[] = [];
  for (let from = 0; from < tokens.length; from += 1) {
    const token = tokens[from];
    if (!token || isNumber(token)) continue;
    if (!isUnspaced(token.key)) {
      const after = tokens[from + 1]?.key;
      const phrase =
        (token.key === 'largest' || token.key === 'biggest') && after === 'city' ? 'largest city' : token.key;
      const to = phrase === token.key ? from + 1 : from + 2;
      found.push({ from, to, concept: conceptOf.get(phrase), word: stem(token.key) });
      from = to - 1;
      continue;
    }
    const ahead = tokens.slice(from, from + 8).map((each) => each.key);
    const form = UNSPACED_FORMS.find((each) => ahead.join('').startsWith(each));
    if (form) {
      found.push({ from, to: from + form.length, concept: conceptOf.get(form), word: form });
      from += form.length - 1;
    }
  }
  return found;
};

/** True where a mention speaks of the column: a form of its concept or its head word. */
export const mentionsColumn = (mention: Mention, column: Attribute): boolean =>
  (mention.concept !== undefined && mention.concept === column.concept) ||
  (column.head !== '' && mention.word === column.head && (!mention.concept || !column.concept));

/** Where the characters of a column without a known concept stand in an unspaced text. */
export const unspacedMentions = (tokens: readonly Token[], column: Attribute): Mention[] => {
  if (!column.unspaced) return [];
  const found: Mention[] = [];
  const length = [...column.unspaced].length;
  for (let from = 0; from + length <= tokens.length; from += 1) {
    const text = tokens.slice(from, from + length).map((token) => token.key);
    if (text.join('') === column.unspaced) found.push({ from, to: from + length, word: column.unspaced });
  }
  return found;
};

/** Columns such as `Year` that any year answers. */
export const isYearColumn = (name: string): boolean => /^\s*(?:years?|dates?|年份?|日期)\s*$/iu.test(name);
