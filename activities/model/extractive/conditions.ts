import { columnType } from './column-type.ts';
import { quantitiesIn } from './quantities.ts';
import { fold, isHan, nameKey, words } from './text.ts';

/** A condition that is checked on fetched attributes or on the name, not by finding the right list. */
export type Condition =
  | { kind: 'compare'; column: string; low: number | null; high: number | null; inclusive: boolean }
  | { kind: 'name'; place: 'start' | 'end'; text: string }
  | { kind: 'relation'; column: string; text: string }
  | { kind: 'quality'; text: string };

/** A class phrase split into what to search for and what to check afterwards. */
export interface Conditioned {
  core: string;
  conditions: Condition[];
}

const MORE =
  'more\\s+than|over|above|greater\\s+than|larger\\s+than|higher\\s+than|longer\\s+than|exceeding|exceeds?';
const LEAST = 'at\\s+least|no\\s+less\\s+than|not\\s+less\\s+than|from';
const LESS = 'less\\s+than|under|below|smaller\\s+than|lower\\s+than|fewer\\s+than|shorter\\s+than';
const MOST = 'at\\s+most|no\\s+more\\s+than|not\\s+more\\s+than|up\\s+to';
const AMOUNT = "[-−]?\\d[\\d,.\\u00a0' ]*\\d|\\d";
const LINK =
  '(?:,?\\s*\\b(?:and|but|with|having|that\\s+have|which\\s+have|that\\s+has|have|has|whose|where|by)\\s+)+';

/** Adjective and what it measures: grammar, not topic. */
const ADJECTIVES: Readonly<Record<string, string>> = {
  longer: 'length',
  shorter: 'length',
  higher: 'height',
  taller: 'height',
  lower: 'height',
  deeper: 'depth',
  wider: 'width',
  heavier: 'mass',
  lighter: 'mass',
  larger: 'area',
  bigger: 'area',
  smaller: 'area',
  older: 'age',
  younger: 'age',
  denser: 'density',
  faster: 'speed',
};

const bounds = (
  op: string,
  value: number,
  upper: number | null,
): Pick<Extract<Condition, { kind: 'compare' }>, 'low' | 'high' | 'inclusive'> => {
  const word = op.toLowerCase().replace(/\s+/g, ' ');
  if (upper !== null) return { low: value, high: upper, inclusive: true };
  if (new RegExp(`^(?:${MORE}|after|later than|超过|大于|多于|高于|长于|以后|之后|后)$`, 'iu').test(word))
    return { low: value, high: null, inclusive: false };
  if (new RegExp(`^(?:${LEAST}|since|不少于|不低于|至少|以上)$`, 'iu').test(word))
    return { low: value, high: null, inclusive: true };
  if (
    new RegExp(
      `^(?:${LESS}|before|prior to|earlier than|小于|少于|低于|短于|不到|不足|以前|之前|前)$`,
      'iu',
    ).test(word)
  )
    return { low: null, high: value, inclusive: false };
  if (new RegExp(`^(?:${MOST}|by|until|不超过|不多于|至多|以下)$`, 'iu').test(word))
    return { low: null, high: value, inclusive: true };
  return { low: value, high: value, inclusive: true };
};

type Rule = [RegExp, (groups: Record<string, string | undefined>) => Condition | null];

const amount = (text: string | undefined): number => quantitiesIn(text ?? '')[0]?.value ?? Number.NaN;

const RULES: Rule[] = [
  [
    new RegExp(
      `${LINK}(?:an?\\s+|the\\s+|their\\s+|its\\s+)?(?<attr>[\\p{L}][\\p{L} -]{1,40}?)\\s+(?:(?:is|are|was|were|of|lies|that\\s+is)\\s+)*(?:between\\s+(?<from>${AMOUNT})[^\\d,.;]{0,12}?\\s+and\\s+(?<to>${AMOUNT})|(?<op>${MORE}|${LEAST}|${LESS}|${MOST})\\s+(?<num>${AMOUNT}))(?<unit>\\s*(?:million|billion|thousand))?(?:\\s*(?!(?:and|or|in|with|that|which|but)\\b)[\\p{L}°%][\\p{L}²³/°%]*(?:\\s+(?:kilomet|met|mile|mi|km)\\p{L}*)?)?`,
      'iu',
    ),
    (g) =>
      compare(
        g.attr ?? '',
        g.op ?? '',
        amount(`${g.num ?? g.from ?? ''}${g.unit ?? ''}`),
        g.to === undefined ? null : amount(g.to),
      ),
  ],
  [
    new RegExp(
      `(?:,?\\s*\\b(?:and|that|which|are|is)\\s+)*\\b(?<adj>${Object.keys(ADJECTIVES).join('|')})\\s+than\\s+(?<num>${AMOUNT})(?<unit>\\s*(?:million|billion|thousand))?(?:\\s*(?:square\\s+)?(?!(?:and|or|in|with|that|which|but)\\b)[\\p{L}°][\\p{L}²³/°]*)?`,
      'iu',
    ),
    (g) => {
      const adjective = (g.adj ?? '').toLowerCase();
      return compare(
        ADJECTIVES[adjective] ?? '',
        /^(?:short|low|light|small|young)/.test(adjective) ? 'below' : 'above',
        amount(`${g.num}${g.unit ?? ''}`),
        null,
      );
    },
  ],
  [
    /(?:,?\s*\b(?:and|that|which|were|was|are|is|have\s+been|had\s+been|first)\s+)*\b(?<verb>\p{L}{3,}(?:ed|d|t|n))\s+(?<op>before|after|since|in|by|until|prior\s+to|earlier\s+than|later\s+than|between|from)\s+(?:the\s+(?:years?|period)\s+)?(?:(?:from|between|of)\s+)?(?<year>\d{3,4})(?:\s*(?:and|to|[-–])\s*(?<to>\d{3,4}))?(?!\s*\p{L}*\d)/iu,
    (g) => compare(`year ${g.verb}`, g.op ?? '', Number(g.year), g.to === undefined ? null : Number(g.to)),
  ],
  [
    /(?:,?\s*\b(?:and|with|that|which|whose)\s+)*(?:(?:an?\s+|the\s+)?(?:english\s+|common\s+)?names?\s+(?:that\s+)?)?(?<place>start|begin|end)(?:s|ning|ing)?\s+(?:with|in)\s+(?:the\s+)?(?:letters?\s+)?["“'‘]?(?<text>\p{L}+)["”'’]?/iu,
    (g) => ({ kind: 'name', place: g.place?.toLowerCase() === 'end' ? 'end' : 'start', text: g.text ?? '' }),
  ],
  [
    /(?:并且|而且|且|，|,)?(?<attr>\p{Script=Han}{2,6}?)(?:在|为|是)?(?<op>超过|大于|多于|高于|长于|不少于|不低于|至少|小于|少于|低于|短于|不到|不足|不超过|不多于|至多)(?<num>\d[\d,.]*)(?<unit>[万亿]?)(?:平方公里|平方千米|平方米|公里|千米|米|人|开尔文|开|摄氏度|吨|公斤|千克|\s*[\p{Lu}\p{Ll}]+[²³]?(?:\/\p{L}+[²³]?)?)?(?:以上|以下)?的?/u,
    (g) => compare(measuredPart(g.attr ?? ''), g.op ?? '', amount(`${g.num}${g.unit}`), null),
  ],
  [
    /(?:在|于|自|从)?(?<year>\d{3,4})年?(?:(?:到|至|和|与|[-–])(?<to>\d{3,4})年?(?:之间|间)?|(?<op>以前|之前|以后|之后|前|后|以来))(?:被|首次)?(?<verb>\p{Script=Han}{2})的?/u,
    (g) => compare(`${g.verb}年份`, g.op ?? '', Number(g.year), g.to === undefined ? null : Number(g.to)),
  ],
  [
    /(?:名称|名字|中文名|英文名)?以["“「]?(?<text>[\p{L}])["”」]?(?:字|字母)?(?<place>开头|结尾)的?/u,
    (g) => ({ kind: 'name', place: g.place === '结尾' ? 'end' : 'start', text: g.text ?? '' }),
  ],
];

/** The shortest ending of a Chinese phrase that names a measurement: what stands before it belongs to the class. */
function measuredPart(attribute: string): string {
  for (let length = 2; length < attribute.length; length += 1) {
    if (columnType(attribute.slice(-length)).kind === 'number') return attribute.slice(-length);
  }
  return attribute;
}

function compare(column: string, op: string, value: number, upper: number | null): Condition | null {
  if (column.trim() === '' || Number.isNaN(value) || (upper !== null && Number.isNaN(upper))) return null;
  return { kind: 'compare', column: column.trim(), ...bounds(op, value, upper) };
}

/** Splits checkable conditions off a class phrase; the rest is what a list page would be titled. */
export function splitConditions(phrase: string): Conditioned {
  let core = phrase;
  const conditions: Condition[] = [];
  for (const [pattern, build] of RULES) {
    for (let guard = 0; guard < 4; guard += 1) {
      const match = pattern.exec(core);
      const condition = match?.groups ? build(match.groups) : null;
      if (!match || !condition) break;
      conditions.push(condition);
      const attribute = match.groups?.attr ?? '';
      const kept = isHan(attribute)
        ? attribute.slice(0, attribute.length - measuredPart(attribute).length)
        : '';
      core =
        `${core.slice(0, match.index)}${kept}${isHan(core) ? '' : ' '}${core.slice(match.index + match[0].length)}`
          .replace(/\s+/g, ' ')
          .trim();
    }
  }
  core = core
    .replace(/(?:是在|是|的|在|于)+$/u, '')
    .replace(/^[\s,，]+|[\s,，]+$|(?:,?\s*\b(?:and|with|that|which|are|is|whose|have|has))+$/giu, '')
    .trim();
  return { core: core === '' ? phrase : core, conditions };
}

/** The object of `that border X`, `using the X`: a relation that an entity's own page can confirm; null where there is none. */
export function relationIn(phrase: string): Extract<Condition, { kind: 'relation' }> | null {
  const english =
    /\b(?:(?:that|which)\s+(?<verb>\p{Ll}{3,})|(?<part>\p{Ll}{2,}ing)|(?<=s\s)(?<bare>\p{Ll}{3,}))\s+(?:(?:on|by|with|to)\s+)?(?:the\s+|an?\s+)?(?<object>\p{Lu}[^,]*)$/u.exec(
      phrase,
    )?.groups;
  const column = english?.verb ?? english?.part ?? english?.bare;
  if (english && column && !/^(?:in|of|on|at|from|within|near)$/.test(column))
    return { kind: 'relation', column, text: (english.object ?? '').trim() };
  const chinese =
    /(?:与|和|同)(?<object>[^的，]+?)(?<verb>接壤|相邻|毗邻|相连|\p{Script=Han}{2})(?:的|$)/u.exec(
      phrase,
    )?.groups;
  return chinese?.verb ? { kind: 'relation', column: chinese.verb, text: chinese.object ?? '' } : null;
}

/** Whether a value satisfies a condition; null where the value is missing or unreadable. */
export function holds(condition: Condition, name: string, value: string): boolean | null {
  if (condition.kind === 'name') {
    const key = fold(name.trim());
    const text = fold(condition.text);
    return condition.place === 'start' ? key.startsWith(text) : key.endsWith(text);
  }
  if (value.trim() === '') return null;
  if (condition.kind === 'compare') return compares(condition, value);
  if (condition.kind === 'relation') {
    const wanted = nameKey(condition.text);
    return (
      nameKey(value).includes(wanted) || words(condition.text).every((word) => words(value).includes(word))
    );
  }
  return /^(?:yes|true|是)$/i.test(value.trim());
}

function compares(condition: Extract<Condition, { kind: 'compare' }>, value: string): boolean | null {
  const year = /(?:^|\D)(\d{3,4})(?:\D|$)/.exec(value)?.[1];
  const wantsYear = /^year\b|年份$/i.test(condition.column);
  if (wantsYear && /\b(?:BC|BCE|ancient|antiquity|prehistor\w*)\b|古代|公元前|史前/i.test(value))
    return condition.low === null;
  const number = wantsYear
    ? year === undefined
      ? Number.NaN
      : Number(year)
    : (quantitiesIn(value)[0]?.value ?? Number.NaN);
  if (Number.isNaN(number)) return null;
  const { low, high, inclusive } = condition;
  return (
    (low === null || number > low || (inclusive && number === low)) &&
    (high === null || number < high || (inclusive && number === high))
  );
}
