import { splitColumns } from './column-names.ts';

/** Class phrase and attributes as read from one language's sentence patterns. */
export interface Reading {
  classPhrase: string;
  columns: string[];
}

const VERB =
  '(?:(?:please|also|then|and)\\s+)*(?:give|list|provide|state|report|find|name|tell|show|include|identify|note|add|specify|write|look\\s+up|collect|compile|determine|enumerate|return|make|create|build|draw\\s+up|present|get)(?:\\s+(?:me|us))?(?:\\s+also)?';
const ASK = '(?:what|which|who)\\s+(?:is|are|was|were)';
const OWN = '(?:the\\s+|its\\s+|their\\s+|an?\\s+)?';
const EACH = '(?:of|for)\\s+(?:each|every|all|them|these|those|any)\\b';
const re = (pattern: string): RegExp => new RegExp(pattern, 'iu');

/** Attribute phrases; group `cols` is the list, `cls` the class where the sentence names it, `rest` what precedes. */
const COLUMN_PATTERNS = [
  re(
    `^(?:for|of)\\s+(?:each|every|all|any)(?:\\s+of)?(?:\\s+(?:the|these|those|them))?(?<cls>\\s+[^,:]+)?\\s*[,:]\\s*(?:${VERB}|${ASK})\\s+${OWN}(?<cols>.+)$`,
  ),
  re(
    `^(?<rest>.*?)[,;]?\\s*(?:and\\s+)?(?:${VERB}|${ASK})\\s+(?:(?:for\\s+)?each(?:\\s+one|\\s+of\\s+them)?,?\\s+)?${OWN}(?<cols>(?:(?!\\b(?:of|for)\\s+(?:each|every|all)\\b).)+?)\\s+${EACH}(?:\\s+(?:of\\s+)?(?:the\\s+|these\\s+|those\\s+|them\\b\\s*|one\\b\\s*)?(?<cls>.*))?$`,
  ),
  re(
    `^(?<rest>.+?)[,;]?\\s+(?:and\\s+)?(?:along\\s+with|together\\s+with|with|including|plus|as\\s+well\\s+as|and)\\s+(?:also\\s+)?(?:for\\s+each,?\\s+)?(?:their|its|(?<=(?:along|together)\\s+with\\s+|including\\s+)the)\\s+(?<cols>.+)$`,
  ),
  re(`^(?<rest>.+?)[,;]?\\s+and\\s+(?:${VERB}|${ASK})\\s+(?:the|their|its)\\s+(?<cols>.+)$`),
  re(`^(?:${VERB}|${ASK})\\s+(?:the|their|its)\\s+(?<cols>[^?]*)$`),
];

const LIST_OF = `(?:an?\\s+|the\\s+)?(?:(?:complete|full|markdown|comprehensive|single)\\s+)*(?:list|table|overview|set)\\s+(?:of|for|covering|showing)\\s+`;
const CLASS_PATTERNS = [
  re(`^(?:in|on|for|at)\\s+which\\s+(?<cls>.+?\\s+(?:is|are|was|were)\\s+.+)$`),
  re(`^(?:which|what)\\s+(?:is|are|was|were)\\s+(?:all\\s+)?(?:of\\s+)?(?:the\\s+)?(?<cls>.+)$`),
  re(`^(?:which|what)\\s+(?:of\\s+)?(?:the\\s+)?(?<cls>.+)$`),
  re(
    `^(?:i\\s+(?:need|want|would\\s+like)|(?:can|could|would)\\s+you\\s+(?:please\\s+)?\\w+(?:\\s+me)?|${VERB})\\s+(?:${LIST_OF})?(?:(?:all|every|each|any)\\s+)?(?:of\\s+)?(?:the\\s+)?(?<cls>.+)$`,
  ),
  re(`^(?:${LIST_OF})(?:(?:all|every|each)\\s+)?(?:of\\s+)?(?:the\\s+)?(?<cls>.+)$`),
];
const ONLY = re('^(?:only|include\\s+only|limit|restrict|consider\\s+only|keep\\s+only)\\b\\s*(?<cls>.+)$');

/** Reads class and attributes out of an English question. */
export function readEnglish(text: string): Reading {
  let classPhrase = '';
  const columns: string[] = [];
  for (const raw of text.split(/(?<=[.?!;])\s+|\n+/)) {
    let sentence = raw
      .replace(/[.?!;:]+$/, '')
      .replace(
        /,?\s*\b(?:as|in)\s+(?:an?\s+)?(?:markdown\s+)?(?:table|tabular)(?:\s+(?:form|format))?\b/gi,
        '',
      )
      .trim();
    const only = ONLY.exec(sentence);
    if (only && classPhrase !== '') {
      classPhrase += `, ${only.groups?.cls ?? ''}`;
      continue;
    }
    const found = firstMatch(COLUMN_PATTERNS, sentence, (groups) => acceptable(groups, classPhrase));
    if (found) {
      columns.push(...splitColumns(found.cols ?? ''));
      const named = (found.cls ?? '').trim();
      sentence = (found.rest ?? '').trim();
      if (classPhrase === '' && sentence === '' && named !== '') classPhrase = named;
    }
    if (classPhrase === '' && sentence !== '') classPhrase = classOf(sentence);
  }
  return { classPhrase, columns };
}

/** A bare `Give the A and B` is a list of attributes only once the class is known. */
function acceptable(groups: Record<string, string | undefined>, classPhrase: string): boolean {
  const selfContained = (groups.rest ?? '') !== '' || (groups.cls ?? '').trim() !== '';
  return selfContained || classPhrase !== '';
}

function firstMatch(
  patterns: readonly RegExp[],
  text: string,
  accept: (groups: Record<string, string | undefined>) => boolean,
): Record<string, string | undefined> | null {
  for (const pattern of patterns) {
    const groups = pattern.exec(text)?.groups;
    if (groups && accept(groups)) return groups;
  }
  return null;
}

function classOf(sentence: string): string {
  for (const pattern of CLASS_PATTERNS) {
    const cls = pattern.exec(sentence)?.groups?.cls;
    if (cls && pattern === CLASS_PATTERNS[0])
      return cls.replace(/\s+(is|are|was|were)\s+(\p{Lu}\p{L}*(?:\s+\p{Lu}\p{L}*)*)\s+/u, ' where $2 $1 ');
    if (cls) return cls.replace(/^(\S+(?:\s+\S+){0,3}?)\s+(?:are|is|were|was)\s+(?=\S)/u, '$1 ').trim();
  }
  return '';
}
