import { isHan, singular } from './text.ts';

const BREAK =
  /\s(?:in|of|on|at|to|for|from|by|with|without|within|near|along|across|between|under|over|above|below|that|which|who|whose|where|when|are|is|was|were|have|has|had|do|does|belong|border|use|lie|flow|share|speak|stand|contain|produce|make|take|use|hold|beginning|starting|ending|named|called|larger|smaller|higher|lower|bigger|older|taller|longer|\p{L}{3,}(?:ed|ing))\s/iu;

/** The noun that a class phrase is about, in the singular: `tall towers built before 1900` is about `tower`. */
export function headNoun(phrase: string): string {
  if (isHan(phrase)) return headHan(phrase);
  const padded = ` ${phrase.replace(/[,;]/g, ' ')} `;
  const cut = BREAK.exec(padded.slice(1));
  const before = (cut ? padded.slice(0, cut.index + 1) : phrase).trim().replace(/[,;]+$/, '');
  const last = before.split(/\s+/).at(-1) ?? phrase;
  return singular(last);
}

const HAN_BREAK =
  /(?:位于|在|是|属于|使用|说|讲|建于|成立于|发现于|始建于|与|以|不|被|由|接壤|毗邻|当中|中)/u;

/** In Chinese the noun stands last, or before the verb: `东部的灯塔`, `灯塔位于东部`. */
function headHan(phrase: string): string {
  const whole = phrase.replace(/[，,].*$/u, '');
  const tail = whole.split('的').at(-1) ?? whole;
  const cut = HAN_BREAK.exec(tail);
  const noun = cut && cut.index >= 2 ? tail.slice(0, cut.index) : tail;
  return noun.slice(-2);
}
