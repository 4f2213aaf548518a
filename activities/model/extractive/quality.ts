import type { PageStructure } from './page-structure.ts';
import { coverage, terms } from './text.ts';

const DENIAL = /\b(?:not|no|never|without|neither)\b|不是|并非|不属于|没有/iu;
const YES = /^(?:yes|true)\b|^[是有]$/iu;
const NO = /^(?:no|none|false)\b|^(?:否|无|不是)$/iu;
const DEFINES = /\b(?:is|are|was|were|belongs?|counts?|lies|stands)\b|是|属于|位于|为/iu;

/**
 * Whether a page says that its entity is what `quality` names: by a yes/no field, by a field's value, or by a sentence
 * that defines it. Null where it is silent.
 */
export function hasQuality(page: PageStructure, quality: string): boolean | null {
  const wanted = terms(quality);
  const fits = (text: string): boolean => coverage(wanted, terms(text)) >= 0.75;
  for (const field of page.fields) {
    if (!fits(field.name)) continue;
    if (YES.test(field.value)) return true;
    if (NO.test(field.value)) return false;
  }
  if (page.fields.some((field) => field.value.length < 60 && fits(field.value))) return true;
  const lead = page.sentences.slice(0, 3).map(({ text }) => text);
  const defining = page.sentences
    .map(({ text }) => text)
    .filter((text) => DEFINES.test(text) && text.length < 160);
  for (const text of [...lead, ...defining]) if (fits(text)) return !DENIAL.test(text);
  return null;
}
