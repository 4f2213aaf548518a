import { splitEnumeration, terms, overlap } from './text.ts';

const ARTICLE =
  /^(?:(?:the|its|their|his|her|an?|each one's|also|both)\s+|它们的|它的|其|各自的?|每个的|该)/iu;
const TAIL =
  /\s*(?:(?:of|for)\s+(?:each|every|all|them|these|those)\b.*|(?:as|in)\s+an?\s+(?:markdown\s+)?table.*|in\s+(?:table|tabular)\s+form.*)$/iu;

/** A column name as a person would put it into a table header: no articles, quotes or trailing phrases. */
export function cleanColumn(text: string): string {
  let name = text.replace(/[*`"“”「」《》|]/g, '').trim();
  name = name
    .replace(TAIL, '')
    .replace(/[.。?？!！:：;；]+$/u, '')
    .trim();
  for (let before = ''; before !== name;) {
    before = name;
    name = name.replace(ARTICLE, '').trim();
  }
  return name;
}

/** Splits `the capital, area (in km²) and official languages` or a pipe-separated header into column names. */
export function splitColumns(text: string): string[] {
  const parts = text.includes('|')
    ? text.split('|')
    : splitEnumeration(text.replace(/\s*\n\s*(?:[-*•]|\d+[.)])?\s*/g, ', '));
  const seen = new Set<string>();
  return parts.map(cleanColumn).filter((name) => {
    const folded = name.toLowerCase();
    if (name === '' || name.length > 80 || seen.has(folded)) return false;
    seen.add(folded);
    return true;
  });
}

const NAME = /^(?:full |common |english )?(?:names?|titles?)\b|^(?:中文|英文)?(?:名称?|名字|标题)$/iu;

/** True where a column holds the entity's own name: `Name`, `Country`, `Name of the country`. */
export function namesEntity(column: string, noun: string): boolean {
  const bare = column.replace(/[(（].*$/u, '').trim();
  if (NAME.test(bare)) return true;
  const nouns = terms(noun);
  const rest = terms(bare.replace(/\bnames?\b|名称?$/giu, ' '));
  return nouns.length > 0 && overlap(nouns, rest) > 0.9;
}
