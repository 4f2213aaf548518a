import { relationIn } from './conditions.ts';
import type { Query } from './memory.ts';
import { modifiersOf, simplify } from './simplify.ts';
import { isHan, words } from './text.ts';

const HITS = 8;

export function wordings(phrase: string, core: string, noun: string, conditioned: boolean): Query[] {
  const related = relationIn(core)?.text;
  const texts = isHan(core)
    ? [
        core,
        `${core}列表`,
        ...(conditioned ? [phrase] : []),
        ...objectsOf(core, noun),
        ...(related ? [related] : []),
      ]
    : [
        core,
        `list of ${core}`,
        ...(conditioned ? [simplify(phrase)] : []),
        ...objectWordings(core),
        related ?? modifiersOf(core),
      ];
  const fresh = [...new Set(texts.map((text) => text.trim()))].filter(
    (text) => text !== '' && text !== '列表',
  );
  return fresh.map((query) => ({ query, count: HITS }));
}

/** `甲类物品属于乙` is listed under `乙`: the parts of a Chinese phrase that do not hold the noun. */
function objectsOf(phrase: string, noun: string): string[] {
  const parts = phrase
    .split(/属于|位于|处于|呈|是|在|的/u)
    .filter((part) => part.length >= 2 && !part.endsWith(noun));
  const rest = modifiersOf(phrase);
  const ends =
    rest.length > 3 ? [`${rest.slice(0, 2)}${noun}列表`, `${rest.slice(-2)}${noun}列表`] : [`${rest}列表`];
  return [...parts.map((part) => `${part}列表`), ...ends];
}

/** A title often names only what the class is tied to: `list of X`, `members of X`. */
function objectWordings(core: string): string[] {
  const [, before = '', object = ''] =
    /^(.+?)\s+(?:in|of|by|on|at|among)\s+(?:the\s+)?(.+)$/iu.exec(core) ?? [];
  if (object === '') return [`list of ${modifiersOf(core)}`];
  const short = object.replace(/\s+(?:of|in)\s+(?:the\s+)?.+$/iu, '');
  const noun = before.split(/\s+/).at(-1) ?? '';
  return [`list of ${short}`, `${noun} of ${short}`];
}

/** Searches for a list that settles what the best one leaves open. */
export function narrower(open: readonly string[], core: string, noun: string): Query[] {
  const openText = phraseOf(open, core);
  const han = isHan(core);
  return [
    han ? `${openText}${noun}` : `${noun} ${openText}`,
    han ? `${openText}列表` : `list of ${openText} ${noun}`,
  ].map((query) => ({ query, count: HITS }));
}

/** The open terms as the phrase words them. */
export function phraseOf(open: readonly string[], core: string): string {
  if (isHan(core)) return open.join('');
  const kept = core.split(/\s+/).filter((word) => words(word).some((stemmed) => open.includes(stemmed)));
  return kept.join(' ') || open.join(' ');
}
