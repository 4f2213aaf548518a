import { splitColumns } from './column-names.ts';
import type { Reading } from './parse-english.ts';

const POLITE = /^(?:请|麻烦|帮我|你能|能否|可否|我想知道|我需要|并且?|同时|另外)+/u;
const VERB =
  '(?:给出|列出|提供|说明|写出|注明|标出|标明|附上|列明|回答|告诉我|查出|整理|包括|包含|指出|查找|找出)';
const UNIT = '(?:一?[个座种条所位部颗项家本款只支名处]|一)';
const TABLE =
  /[，,]?(?:请)?(?:以|用|做成|整理成)(?:一个|一张)?(?:Markdown\s*)?(?:表格|列表)(?:的?形式)?(?:呈现|回答|输出)?[，,]?/giu;

const COLUMN_PATTERNS = [
  new RegExp(
    `^(?:对于|对|针对)?(?:其中)?(?:每${UNIT}|各个?)(?<cls>[^，,]*?)[，,]?(?:请|并|分别)*${VERB}(?:其|它们?的|各自的)?(?<cols>.+)$`,
    'u',
  ),
  new RegExp(
    `^(?<rest>.*?)[，,]?(?:请|并|分别|以及)*${VERB}(?:它们|其|各自|每${UNIT}[^的，,]{0,8}|各[^的，,]{0,6})的?(?<cols>.+)$`,
    'u',
  ),
  new RegExp(
    `^(?<rest>.*?${VERB}.+?)(?:以?及其|以?及它们的|和它们的|和其|与其|以及各自的|及各自的|连同其|连同它们的)(?<cols>.+)$`,
    'u',
  ),
  new RegExp(`^(?:分别)?${VERB}(?:所有|全部|每${UNIT})?(?<cls>.+)的(?<cols>[^的]+)$`, 'u'),
  new RegExp(`^${VERB}(?:它们?的|其|各自的)(?<cols>.+)$`, 'u'),
  /^(?<rest>.+?)[，,](?:它们|其|各自)的(?<cols>.+?)(?:分别)?(?:是什么|是多少|有哪些|是哪些)?$/u,
  new RegExp(`^(?:分别)?${VERB}(?<cols>[^的]+)$`, 'u'),
];

/** Reads class and attributes out of a Chinese question; with known columns, `列出A的B` asks for B and not for a column B. */
export function readChinese(text: string, columnsKnown: boolean): Reading {
  let classPhrase = '';
  const columns: string[] = [];
  for (const raw of text.split(/[。？！?!；;\n]+/u)) {
    let sentence = raw.replace(TABLE, '').trim().replace(POLITE, '').trim();
    if (sentence === '') continue;
    for (const pattern of columnsKnown ? COLUMN_PATTERNS.slice(0, 3) : COLUMN_PATTERNS) {
      const groups = pattern.exec(sentence)?.groups;
      if (!groups) continue;
      const cls = groups.cls?.trim() ?? '';
      const rest = groups.rest?.trim() ?? '';
      if (classPhrase === '' && cls === '' && rest === '') continue;
      const listed = splitColumns(groups.cols ?? '');
      if (classPhrase === '' && cls !== '' && listed.length < 2 && !/的.*的/u.test(sentence)) continue;
      columns.push(...listed);
      if (classPhrase === '' && cls !== '') classPhrase = cls;
      sentence = rest;
      break;
    }
    if (classPhrase === '' && sentence !== '') classPhrase = classOf(sentence);
  }
  return { classPhrase, columns };
}

function classOf(sentence: string): string {
  return sentence
    .replace(/^(?:对于|对|针对)?(?=每一?[个座种条所位])(?<cls>[^，]+)，.*$/u, '$<cls>')
    .replace(/^(?:对于|针对)(?<cls>[^，]+)，.*$/u, '$<cls>')
    .replace(POLITE, '')
    .replace(new RegExp(`^${VERB}(?:一份|一个)?(?:完整的)?(?:清单|列表)?`, 'u'), '')
    .replace(/(?:所有|全部|每一?[个座种条所位])的?/gu, '')
    .replace(/(?:都|共)?(?:有|是|包括)?(?:哪些|哪几[个座种]|什么)/u, '')
    .replace(/[，,]+$/u, '')
    .trim();
}
