import { headNoun } from './noun-phrase.ts';
import { isHan } from './text.ts';

/** Verbs that only tie a class to its modifier; a title would say `in` or `of`. */
const TIES =
  /\s+(?:(?:that|which)\s+)?(?:belong(?:s|ing)?\s+to|(?:are|is)\s+(?:part|members?)\s+of|lie(?:s)?\s+in|(?:are\s+|is\s+)?(?:located|situated|found)\s+in|form\s+part\s+of)\s+/giu;
const TIES_HAN = /(?:属于|位于|处于|在|是|呈)/gu;

/** A class phrase as a title might put it: no filler verbs, no `the region` before a region's own name. */
export function simplify(phrase: string): string {
  if (isHan(phrase)) return phrase.replace(TIES_HAN, '').replace(/(?:所有|全部)的?/gu, '');
  return phrase
    .replace(TIES, ' in ')
    .replace(/\b(?:that\s+|which\s+)?(?:have|has|having|with)\s+no\b/giu, 'without')
    .replace(/\s+(?:with|to|by)\s+any\s+(?:other\s+)?\p{L}+$/iu, '')
    .replace(/\bthe\s+\p{Ll}+\s+(?=\p{Lu})/gu, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** The phrase without its head noun: what tells this class from others of the kind. */
export function modifiersOf(phrase: string): string {
  if (isHan(phrase)) {
    const noun = headNoun(phrase);
    return phrase.replace(noun, '').replace(/的+$/u, '').replace(/^的+/u, '');
  }
  const noun = headNoun(phrase);
  return phrase
    .split(/\s+/)
    .filter(
      (word) =>
        !/^(?:in|of|on|at|the|and|that|which|are|is|a|an|to|with|have|has)$/i.test(word) &&
        headNoun(word) !== noun,
    )
    .join(' ');
}
