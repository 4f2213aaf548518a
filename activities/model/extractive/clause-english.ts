import { nameKey } from './text.ts';

/** A capitalised name with the small words names contain: `Ayn al-Arab`, `Bank of the North (BN)`. */
const NAME_TOKEN = "[\\p{Lu}\\p{N}][\\p{L}\\p{M}\\p{N}'’.\\-]*";
const NAME = `${NAME_TOKEN}(?:\\s+(?:(?:of|de|da|del|di|do|la|le|al|el|van|von|and\\s+the|of\\s+the|the)\\s+)?${NAME_TOKEN})*(?:\\s+\\p{Ll}+(?=\\s*\\([\\p{Lu}\\d]{2,6}\\)))?(?:\\s*\\([\\p{Lu}\\d]{2,6}\\))?`;
const ITEM = `(?:the\\s+)?${NAME}`;
const NAMES = `${ITEM}(?:\\s*,\\s*${ITEM})*(?:,?\\s+(?:and|or|as well as)\\s+${ITEM})?`;
const NAMES_AT_END = new RegExp(`(${NAMES})$`, 'u');
const NAMES_AT_START = new RegExp(`^(?:the\\s+)?(${NAMES})`, 'u');

const COPULA =
  '(?:is|are|was|were|includes?|included|comprises?|becomes?|remains?|amounts?\\s+to|stands?\\s+at|lies?\\s+at|dates?\\s+from)';
const AFTER = new RegExp(
  `^(?:\\s*\\([^)]*\\))?(?:\\s+(?:of|for|in|at|from)\\s+[^,;:]{1,50}?|\\s+in\\s+use|\\s+\\p{Ll}+(?=\\s+(?:is|are|was|were)\\b))?\\s*(?:\\b${COPULA}\\b|[:：–—])\\s*(.+)$`,
  'iu',
);
const SUBJECT = new RegExp(
  `^(.+?)\\s+(?:is|are|was|were|serves?|served|acts?|has|have|holds?|enjoys?)\\b(?:[^,;:]*\\bas)?(?:\\s+(?:one\\s+of\\s+)?(?:the|an?|its|their))?\\s+(?:[\\p{L}-]+\\s+){0,2}$`,
  'iu',
);
const PRONOUN = /^(?:it|its|they|this|that|these|those|there|he|she|which|who|the\s+\p{Ll}+)$/iu;

/** True where a text names the entity as a whole word; an adjective made from its name is something else. */
const mentions = (text: string, entity: string): boolean =>
  entity !== '' && ` ${nameKey(text)} `.includes(` ${nameKey(entity)} `);

/** A clause's value without what trails behind it. */
export function cutClause(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/[;—–].*$/u, '')
    .replace(
      /,\s+(?:which|where|who|whose|with|although|but|while|since|a|an|the|its|and\s+(?:it|its|the|has|is|was|has))\s.*$/u,
      '',
    )
    .replace(/\s+(?:which|where|who|that|because|although|while|until)\s.*$/u, '')
    .replace(/\s*\([^)]*\d[^)]*\)\s*$/u, '')
    .replace(/[.,;:!?\s]+$/u, (end) => (/^\.$/.test(end) && /\b\p{Lu}$/u.test(text.slice(0, -1)) ? '.' : ''))
    .replace(/^(?:(?:only|called|named|known as|as follows:?)\s+)+/iu, '')
    .replace(/^(?:\p{L}+(?:ed|en)\s+(?:by|in|at|on|with|to)\s+)/u, '')
    .replace(/^(?:the|an?)\s+/iu, '')
    .trim();
}

/** The value that a sentence gives for what it names between `start` and `end`; null where no pattern fits. */
export function valueAround(
  sentence: string,
  start: number,
  end: number,
  entity: string,
): { value: string; trust: number } | null {
  const before = sentence.slice(0, start);
  const after = sentence.slice(end).replace(/[.!?]\s*$/, '');
  const isEntity = (text: string): boolean => mentions(text, entity);

  const colon = AFTER.exec(after)?.[1];
  if (colon && !/^(?:not|also|often|usually|an?\s|one\s+of)\b/iu.test(colon)) {
    const value = cutClause(colon);
    if (value !== '' && !isEntity(value)) return { value, trust: 1 };
  }
  const inserted = /^\s*,\s*(?=(?:the\s+)?\p{Lu}|the\s+(?:[\p{L}ʻ'’-]+\s*){1,4}(?:\([^)]*\))?$)(.+)$/u.exec(
    after,
  )?.[1];
  if (inserted) return { value: cutClause(inserted), trust: 0.85 };

  const apposition = /^(.*\S),\s*(?:(?:the|its|their|an?)\s+)?(?:\p{L}+\s+){0,2}$/u.exec(before)?.[1];
  const named = apposition ? NAMES_AT_END.exec(apposition)?.[1] : undefined;
  if (named && !isEntity(named)) return { value: cutClause(named), trust: 0.9 };

  const subject = SUBJECT.exec(before)?.[1]?.trim();
  if (subject && !PRONOUN.test(subject) && !isEntity(subject) && subject.split(' ').length <= 25) {
    return { value: cutClause(subject), trust: 0.9 };
  }
  const asRole = /^(.+)\s+as\s+(?:(?:its|the|an?|their)\s+)?(?:\p{L}+\s+){0,2}$/u.exec(before)?.[1];
  const used = asRole ? NAMES_AT_END.exec(asRole)?.[1] : undefined;
  if (used && !isEntity(used)) return { value: cutClause(used), trust: 0.85 };

  const object = /^\s+(?:(?:only|by|with|to|on|from|in|into|at|through|as|jointly)\s+)*(.+)$/u.exec(
    after,
  )?.[1];
  const objects = object ? NAMES_AT_START.exec(object)?.[1] : undefined;
  if (objects && !isEntity(objects)) return { value: cutClause(objects), trust: 0.8 };
  return null;
}

const CODED =
  /(?:^|\s)(?:the\s+)?((?:[\p{L}][\p{L}\p{M}'’ʻ.-]*\s+){1,5}\([\p{Lu}\d]{2,6}\)(?:(?:,|\s+and)\s+(?:the\s+)?(?:[\p{L}][\p{L}\p{M}'’ʻ.-]*\s+){1,5}\([\p{Lu}\d]{2,6}\))*)/u;

/**
 * What a short sentence states, for a sentence that is near in meaning but does not name the column: a coded name, the
 * subject of a bare statement, or what `it` is said to be. Null where the sentence has no such form.
 */
export function statedIn(sentence: string, entity: string): string | null {
  const text = sentence.replace(/[.!?]\s*$/, '');
  const isEntity = (part: string): boolean => mentions(part, entity);
  const coded = CODED.exec(text)?.[1];
  if (coded) return cutClause(coded.replace(/^.*\b(?:the|in|as|with|is|are|includes?)\s+/iu, ''));
  const split = /^(.+?)\s+(?:is|are|was|were|serves?\s+as|counts?\s+as|belongs?\s+to)\s+(.+)$/iu.exec(text);
  if (!split) return null;
  const [, subject = '', rest = ''] = split;
  if (!PRONOUN.test(subject) && !isEntity(subject) && /\p{Lu}/u.test(subject.slice(1)))
    return cutClause(subject);
  const said = rest
    .replace(/^(?:classified|counted|known|regarded|considered|listed)\s+(?:as|among)\s+/iu, '')
    .replace(/^one\s+of\s+(?:the\s+)?/iu, '')
    .replace(/^(?:located|situated|found)\s+in\s+/iu, '');
  return said.split(/\s+/).length <= 6 && !isEntity(said) ? cutClause(said) : null;
}

/** The named place that a sentence puts its subject in. */
export function placeIn(sentence: string, entity: string): string {
  const found = [
    ...sentence.matchAll(new RegExp(`\\b(?:in|of|to|within)\\s+(?:the\\s+)?(${NAME})(?=[.,;]|$)`, 'gu')),
  ];
  return (
    found
      .map((match) => match[1] ?? '')
      .filter((name) => !mentions(name, entity) && !mentions(entity, name))
      .at(-1)
      ?.replace(/[.]$/, '') ?? ''
  );
}
