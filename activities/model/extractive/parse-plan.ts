import { resolveAnaphora } from './anaphora.ts';
import { cleanColumn } from './column-names.ts';
import { isHan } from './text.ts';

/** How to reach a single answer. */
export type Plan =
  | { op: 'named'; phrase: string }
  | { op: 'attribute'; of: Plan; attribute: string }
  /** A member of a class: the only or first one, or the one with the most or least of `by`. */
  | { op: 'member'; classPhrase: string; by: string | null; most: boolean };

const MOST = 'largest|biggest|highest|greatest|longest|tallest|deepest|heaviest|oldest|most';
const LEAST = 'smallest|lowest|shortest|least|fewest|lightest|youngest';
const SUPERLATIVE = `(?<sup>${MOST}|${LEAST})`;
/** What a bare superlative measures: grammar, not topic. */
const MEASURED: Readonly<Record<string, string>> = {
  largest: 'area',
  biggest: 'area',
  smallest: 'area',
  highest: 'height',
  tallest: 'height',
  longest: 'length',
  shortest: 'length',
  deepest: 'depth',
  heaviest: 'mass',
  lightest: 'mass',
};
const isMost = (word: string): boolean => new RegExp(`^(?:${MOST})$`, 'iu').test(word);

/** Reads the chain of a question with one answer; null where no pattern fits. */
export function parsePlan(question: string): Plan | null {
  const text = resolveAnaphora(question.replace(/\s+/g, ' ').trim());
  return isHan(text) ? planHan(text) : planEnglish(text);
}

function planEnglish(text: string): Plan | null {
  const chosen =
    /^(?:of|among)\s+(?<cls>.+?),\s*(?:take|consider|choose|find)\s+the\s+(?:one|\p{L}+)\s+with\s+the\s+(?<sup>\p{L}+)\s+(?<by>[^.]+?)\.\s*(?:what|which|who)\s+(?:is|are|was|were)\s+(?:its|their|his|her)\s+(?<attr>[^?.]+)/iu.exec(
      text,
    )?.groups;
  if (chosen)
    return {
      op: 'attribute',
      attribute: cleanColumn(chosen.attr ?? ''),
      of: {
        op: 'member',
        classPhrase: classOf(chosen.cls),
        by: chosen.by ?? null,
        most: isMost(chosen.sup ?? ''),
      },
    };
  const sentence = text.split(/(?<=\?)\s/)[0]?.replace(/[?.\s]+$/, '') ?? text;
  const year =
    /^(?:in\s+)?(?:which|what)\s+year\s+(?:was|were|did)\s+(?<who>.+?)\s+(?<verb>\p{L}{3,}(?:ed|t|d|n))(?<rest>\s+whose\s.+)?$/iu.exec(
      sentence,
    )?.groups;
  if (year)
    return { op: 'attribute', attribute: `year ${year.verb}`, of: describe(`${year.who}${year.rest ?? ''}`) };
  const plain = /^(?:what|which|who)\s+(?:is|are|was|were)\s+the\s+(?<attr>[^?]+?)\s+of\s+(?<who>.+)$/iu.exec(
    sentence,
  )?.groups;
  if (plain)
    return { op: 'attribute', attribute: cleanColumn(plain.attr ?? ''), of: describe(plain.who ?? '') };
  const used =
    /^(?:in\s+)?(?:what|which)\s+(?<attr>[\p{L} ]+?)\s+(?:is|are|was|were|does|do|did|has|have)\s+(?:(?:\p{L}+\s+){0,2}(?:in|of|by|for)\s+)?(?<who>.+?)(?:\s+(?:use|speak|have|lie|stand|located|situated|belong)s?)?$/iu.exec(
      sentence,
    )?.groups;
  if (used) return { op: 'attribute', attribute: cleanColumn(used.attr ?? ''), of: describe(used.who ?? '') };
  const who = /^(?:which|what)\s+(?<cls>.+)$/iu.exec(sentence)?.groups?.cls;
  return who ? { op: 'member', classPhrase: classOf(who), by: null, most: true } : null;
}

/** A thing that is named, or described through others. */
function describe(phrase: string): Plan {
  const text = phrase.trim();
  const only = /^the\s+only\s+(?<cls>.+)$/iu.exec(text)?.groups?.cls;
  if (only) return { op: 'member', classPhrase: classOf(only), by: null, most: true };
  const top = new RegExp(
    `^the\\s+${SUPERLATIVE}\\s+(?<noun>[\\p{L} ]+?)?(?:[,\\s]+\\(?by\\s+(?<by>[\\p{L} ]+?)[,)])?\\s*(?<of>(?:of|in|among)\\s+.+)$`,
    'iu',
  ).exec(text)?.groups;
  if (top) {
    const sup = (top.sup ?? '').toLowerCase();
    const cls = top.noun ? `${top.noun} ${top.of ?? ''}` : (top.of ?? '').replace(/^(?:of|in|among)\s+/i, '');
    return { op: 'member', classPhrase: classOf(cls), by: top.by ?? MEASURED[sup] ?? sup, most: isMost(sup) };
  }
  const withTop = new RegExp(
    `^the\\s+(?<cls>.+?)\\s+with\\s+the\\s+${SUPERLATIVE}\\s+(?<by>[\\p{L} ]+?)(?<of>\\s+(?:of|in|on)\\s+(?:the\\s+)?\\p{Lu}.*)?$`,
    'iu',
  ).exec(text)?.groups;
  if (withTop)
    return {
      op: 'member',
      classPhrase: classOf(`${withTop.cls}${withTop.of ?? ''}`),
      by: withTop.by ?? null,
      most: isMost(withTop.sup ?? ''),
    };
  if (/^the\s+\p{Ll}[\p{L} ]*\s+(?:that|which)\s/u.test(text))
    return { op: 'member', classPhrase: classOf(text), by: null, most: true };
  return { op: 'named', phrase: text.replace(/^the\s+(?=\p{Lu})/u, '') };
}

const classOf = (phrase: string | undefined): string =>
  (phrase ?? '').replace(/^(?:all\s+)?the\s+/iu, '').trim();

function planHan(question: string): Plan | null {
  const text = question.split(/[？?。]/u)[0] ?? question;
  const code = /代码/u.test(question) ? '代码' : '';
  const year =
    /^(?<who>.+?)是?(?:在|于)?(?:哪一?年|何年|什么时候)(?:被)?(?<verb>\p{Script=Han}{2})(?:的)?$/u.exec(
      text,
    )?.groups;
  if (year) return { op: 'attribute', attribute: `${year.verb}年份`, of: describeHan(year.who ?? '') };
  const told =
    /^(?<who>.+?)[，,]?(?:其|的)(?<attr>\p{Script=Han}{2,8})是(?:哪里|什么|哪个|哪座\S*|多少|谁|哪一个|何处)$/u.exec(
      text,
    )?.groups;
  if (told) return { op: 'attribute', attribute: told.attr ?? '', of: describeHan(told.who ?? '') };
  const used =
    /^(?<who>.+?)(?:使用|采用|以|讲)什么(?<attr>\p{Script=Han}{2,6}?)(?:为(?<role>\p{Script=Han}{2,6}))?$/u.exec(
      text,
    )?.groups;
  if (used)
    return {
      op: 'attribute',
      attribute: used.role ?? `${used.attr}${code}`,
      of: describeHan(used.who ?? ''),
    };
  return null;
}

function describeHan(phrase: string): Plan {
  const text = phrase.replace(/[，,]$/u, '').trim();
  const top =
    /^(?:在)?(?<cls>.+?)(?:中|里|当中)?[，,]?(?:其中)?(?<by>\p{Script=Han}{2,4})最(?<sup>[大小高低长短多少重轻])的?(?<noun>\p{Script=Han}{2,8})?$/u.exec(
      text,
    )?.groups;
  if (top) {
    const noun = /^一[个座种条]$/u.test(top.noun ?? '') ? '' : (top.noun ?? '');
    const cls =
      top.cls?.replace(/有若干\p{Script=Han}{2,4}$/u, (neighbours) => `的${neighbours.slice(3)}`) ?? '';
    const classPhrase = noun === '' || cls.endsWith(noun) ? cls : `${cls.replace(/中$/u, '')}的${noun}`;
    return { op: 'member', classPhrase, by: top.by ?? null, most: /[大高长多重]/u.test(top.sup ?? '') };
  }
  const only = /^唯一(?:一个)?(?<cls>.+)$/u.exec(text)?.groups?.cls;
  if (only) return { op: 'member', classPhrase: only, by: null, most: true };
  return { op: 'named', phrase: text };
}
