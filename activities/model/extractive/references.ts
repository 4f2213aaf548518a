import { isHan } from './text.ts';

/** A part of a phrase that names something only indirectly, and how the phrase reads once it is known. */
export type Reference = { rewrite: (found: string) => string } & (
  | { kind: 'attribute'; entity: string; attribute: string }
  | { kind: 'owner'; noun: string; attribute: string; value: string }
);

type Rule = [
  RegExp,
  (g: Record<string, string | undefined>, around: (middle: string) => string) => Reference | null,
];

const attribute = (
  entity: string | undefined,
  name: string | undefined,
  rewrite: (found: string) => string,
): Reference | null =>
  entity && name
    ? { kind: 'attribute', entity: entity.trim().replace(/^the\s+/i, ''), attribute: name.trim(), rewrite }
    : null;

const RULES: Rule[] = [
  [
    /\bthe\s+(?<attr>\p{L}+)(?:\s+of\s+the\s+[\p{L} ]+?)?\s+(?:to|in|on)\s+which\s+(?:the\s+)?(?<who>[^,.?]+?)\s+(?:belongs?|lies|stands?|is\s+located|is)\b/iu,
    (g, around) => attribute(g.who, g.attr, (found) => around(sayWith(g.attr ?? '', found))),
  ],
  [
    /\b(?:the\s+)?same\s+(?<attr>[\p{L} ]+?)\s+as\s+(?:the\s+)?(?<who>\p{L}[^,.?]*?)(?=[,.?]|\s+(?:alone|and|but|with)\b|$)/iu,
    (g, around) => attribute(g.who, g.attr, (found) => around(`the ${found}`)),
  ],
  [
    /\bthe\s+(?<noun>\p{L}+)\s+(?:whose|with\s+the|of\s+which\s+the)\s+(?<attr>[\p{L} ]+?)\s+(?:is|was|are|of)\s+(?<value>[\p{Lu}\d][^,?]*?)(?=[,?]|$)/u,
    (g, around) =>
      g.noun && g.attr && g.value
        ? { kind: 'owner', noun: g.noun, attribute: g.attr.trim(), value: g.value.trim(), rewrite: around }
        : null,
  ],
  [
    /(?<who>[^，。的与和]+?)(?:所属|所在|所处)的?(?<attr>\p{Script=Han}{2,6}?)(?=的|中|内|里|所有|全部|$)/u,
    (g, around) => attribute(g.who, g.attr, (found) => around(found)),
  ],
  [
    /(?:与|和|同)(?<who>[^，。]+?)(?:使用|采用|拥有|具有|讲)?(?:同一种?|相同的?)(?<attr>\p{Script=Han}{2,4})/u,
    (g, around) =>
      attribute(g.who?.replace(/(?:使用|采用)$/u, ''), g.attr, (found) => around(`使用${found}`)),
  ],
  [
    /(?<pre>与|和|同|在)?(?<attr>\p{Script=Han}{2,4})(?:为|是)(?<value>[^，。的]+)的(?<noun>\p{Script=Han}{1,4}?)(?=接壤|相邻|毗邻|的|$)/u,
    (g, around) =>
      g.noun && g.attr && g.value
        ? {
            kind: 'owner',
            noun: g.noun,
            attribute: g.attr,
            value: g.value,
            rewrite: (found) => around(`${g.pre ?? ''}${found}`),
          }
        : null,
  ],
];

/** `period 2` for a bare value, `northern region` for a value that already names its kind or is a name. */
const sayWith = (noun: string, found: string): string =>
  /^[\d.]+$|^\p{L}$/u.test(found) ? `${noun} ${found}` : found;

/** The first indirect part of a phrase; null where everything is named. */
export function referenceIn(phrase: string): Reference | null {
  for (const [pattern, build] of RULES) {
    const match = pattern.exec(phrase);
    if (!match?.groups || (isHan(pattern.source) && !isHan(phrase))) continue;
    const around = (middle: string): string =>
      `${phrase.slice(0, match.index)}${middle}${phrase.slice(match.index + match[0].length)}`
        .replace(/\s+/g, ' ')
        .trim();
    const reference = build(match.groups, around);
    if (reference) return reference;
  }
  return null;
}
