import { namesEntity, splitColumns } from './column-names.ts';
import { resolveAnaphora } from './anaphora.ts';
import { splitConditions } from './conditions.ts';
import { headNoun } from './noun-phrase.ts';
import { readChinese } from './parse-chinese.ts';
import { readEnglish } from './parse-english.ts';
import { unitOfColumn } from './quantities.ts';
import { capitalise, isHan } from './text.ts';

/** A wanted column: its header in the answer and what to look for on pages (with unit or form, where told). */
export interface WantedColumn {
  header: string;
  ask: string;
}

/** What a wide question asks for, as far as its wording tells. */
export interface WideQuestion {
  /** Names the wanted class with all its conditions, e.g. `lighthouses on the north coast`. */
  classPhrase: string;
  /** What one row is about, e.g. `lighthouse`. */
  noun: string;
  /** Name of the key column in the answer, e.g. `Lighthouse`. */
  keyColumn: string;
  /** Wanted attributes without the key. */
  columns: WantedColumn[];
  /** The answer's header: where the question dictates columns exactly those, else key and attributes. */
  header: string[];
  /** Second part of a composite key: its values get a row each. */
  spreadColumn: string | null;
}

const DICTATED = [
  /(?:[,，]?\s*\b(?:with|in|into|under|using|use|has|have|having|and)\s+)?(?:\b(?:the|these|following|table|markdown|output|its)\s+)*\b(?:columns?|headers?|fields?)\b(?:\s+(?:names?|headers?|titles?))?(?:\s+(?:should|must|shall|will|are|is|be|named|called|as|follows?|in|this|that|the|order|sequence|following|exactly|labell?ed|titled),?)*\s*[:：]?\s*(?<cols>[^\n]*?(?:[,|、\n][^\n]*?|\s+and\s+[^\n]*?)+)(?:[.。](?=\s|$)|\n\n|$)/iu,
  /[，,]?(?:请|以|并)?(?:表格的?|输出的?)?(?:列名|表头|字段|栏目|列(?=依次|分别|应|须|需|为|是|包|如|[:：]))(?:名称)?(?:依次|分别|应|须|需)*(?:为|是|包括|包含|如下)?\s*[:：]?\s*(?<cols>[^。\n]*?[,，、|][^。\n]*?)(?:[。]|\n\n|$)/u,
];

/** Reads a wide question, English or Chinese. Always returns something: at worst the whole text is the class. */
export function parseQuestion(text: string): WideQuestion {
  const resolved = resolveAnaphora(text);
  const dictated = dictatedColumns(resolved);
  const body = (dictated ? resolved.replace(dictated.whole, ' ') : resolved).trim() || text;
  const read = isHan(body) ? readChinese(body, dictated !== null) : readEnglish(body.replace(/\s+/g, ' '));
  const classPhrase = trimPhrase(read.classPhrase || body);
  const noun = headNoun(splitConditions(classPhrase).core);
  const ask = (header: string): WantedColumn => ({ header: capitalise(header), ask: withForm(header, text) });
  if (!dictated) {
    const columns = read.columns.filter((column) => !namesEntity(column, noun)).map(ask);
    const keyColumn = capitalise(noun);
    return {
      classPhrase,
      noun,
      keyColumn,
      columns,
      header: [keyColumn, ...columns.map(({ header }) => header)],
      spreadColumn: null,
    };
  }
  const keys = keyColumns(text, dictated.columns);
  const named = keys[0] ?? dictated.columns.find((column) => namesEntity(column, noun));
  const header = named === undefined ? withKey(dictated.columns, read.columns, noun) : dictated.columns;
  const keyColumn = named ?? header[0] ?? capitalise(noun);
  const columns = header
    .filter((column) => column !== keyColumn)
    .map((column) => ({ header: column, ask: withForm(column, text) }));
  const kind = /\bname|名/iu.test(keyColumn) ? noun : keyColumn.toLowerCase();
  return {
    classPhrase,
    noun: kind,
    keyColumn,
    columns,
    header,
    spreadColumn: keys.find((key) => key !== keyColumn) ?? null,
  };
}

/** Columns that the question calls its key. */
function keyColumns(text: string, columns: readonly string[]): string[] {
  const told =
    /\b(?:primary\s+|unique\s+)?keys?\s+(?:columns?\s+)?(?:is|are)\s+(?<keys>[^.]+)/iu.exec(text)?.groups
      ?.keys ??
    /以(?<keys>[^。]+?)为(?:唯一标识|主键|唯一键)/u.exec(text)?.groups?.keys ??
    '';
  return splitColumns(told).flatMap(
    (key) => columns.find((column) => column.toLowerCase() === key.toLowerCase()) ?? [],
  );
}

/** A column with the unit or form that a remark elsewhere in the question gives it: `Height in m` → `Height (m)`. */
function withForm(column: string, text: string): string {
  if (/[(（]/u.test(column)) return column;
  const options = optionsFor(column, text);
  if (options !== '') return `${column} (${options})`;
  const escaped = column.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const unit = new RegExp(
    `${escaped}(?:\\s+(?:is\\s+given\\s+|given\\s+)?in\\s+|（|\\(|以)(?<unit>[^\\s,.;，。；）)]+?(?:\\s+\\p{Ll}+)?)(?=\\s+as\\b|\\s*[,.;，。；）)]|为单位|$)`,
    'iu',
  ).exec(text)?.groups?.unit;
  if (unit !== undefined && unitOfColumn(`x (${unit})`) !== '') return `${column} (${unit})`;
  const coded = new RegExp(`${escaped}[^.。；;，,、]{0,20}(?:\\bcodes?\\b|代码)`, 'iu').test(text);
  return coded && !/code|代码/i.test(column) ? `${column} (code)` : column;
}

/** Dictated columns without a name column: the first is the key, unless the question also named them as attributes. */
function withKey(columns: string[], attributes: readonly string[], noun: string): string[] {
  const first = (columns[0] ?? '').toLowerCase();
  return attributes.some((attribute) => attribute.toLowerCase() === first)
    ? [capitalise(noun), ...columns]
    : columns;
}

function dictatedColumns(text: string): { whole: string; columns: string[] } | null {
  for (const pattern of DICTATED) {
    const found = pattern.exec(text);
    if (!found) continue;
    const columns = splitColumns(
      (found.groups?.cols ?? '').replace(/,?\s*(?:with\s+)?one\s+row\s+(?:each|per|for)\b.*$/iu, ''),
    );
    if (columns.length >= 2) return { whole: found[0], columns };
  }
  return null;
}

const trimPhrase = (phrase: string): string =>
  phrase
    .replace(/,?\s*\b(?:leaving\s+out|excluding|except(?:\s+for)?|not\s+counting|ignoring)\b.*$/iu, '')
    .replace(/[，,]?(?:不计|不包括|不含|除去)[^，。]*$/u, '')
    .replace(/,\s*[^,]+\s+included$|,?\s*\b(?:including|include)\s+\p{Lu}[^,]*$/u, '')
    .replace(/（[^）]*）/gu, '')
    .replace(/,?\s+(?:alone|either\s+alone)\s+or\b.*$/iu, '')
    .replace(/\s+/g, ' ')
    .replace(/^[\s,，:：]+|[\s,，.。?？!！:：;；]+$/gu, '')
    .replace(/^(?:all|every|each|the)\s+(?:of\s+)?(?:the\s+)?/iu, '');

/** The values that a remark allows for a column: `Colour is the main one: red, green or blue.` */
function optionsFor(column: string, text: string): string {
  const escaped = column.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const english = new RegExp(
    `(?:^|[.]\\s+)${escaped}\\s+(?:is|means|as)\\s+(?<what>[^.:]*):\\s*(?<list>[^.]+)`,
    'u',
  ).exec(text)?.groups;
  if (english) return `${english.what}: ${english.list}`;
  const tail = column.slice(-2);
  const chinese = isHan(column)
    ? new RegExp(`${tail}(?:写作|填写|分为|为)(?<list>[^。；]+?或[^。；、]+)`, 'u').exec(text)?.groups?.list
    : undefined;
  return chinese ?? '';
}
