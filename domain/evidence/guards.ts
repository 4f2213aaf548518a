import { mentionsColumn, sameAttribute, unspacedMentions } from './concepts.ts';
import type { Attribute } from './concepts.ts';
import type { Corpus, Place } from './corpus.ts';
import type { Occurrence } from './names.ts';
import { isNumber } from './tokens.ts';

/** Tokens of distance that a clause border between two things adds, and that reading backwards adds. */
const CLAUSE = 3;
const BACKWARDS = 0.5;
/** Another attribute or entity this close to a value owns it. */
const OWNS = 4;

/** The text between two things of a passage. */
const between = (place: Place, a: Occurrence, b: Occurrence): string => {
  const { tokens } = place.passage;
  const [left, right] = a.from < b.from ? [a, b] : [b, a];
  return place.page.text.slice(tokens[left.to - 1]?.end ?? 0, tokens[right.from]?.start ?? 0);
};

/** Distance in tokens from a word or name to a value; things that stand after the value count as a little farther. */
const distance = (place: Place, thing: Occurrence, value: Occurrence): number => {
  const [left, right] = thing.from < value.from ? [thing, value] : [value, thing];
  const borders = between(place, thing, value).match(/[,;，；、(（]/gu)?.length ?? 0;
  return Math.max(1, right.from - left.to + 1) + borders * CLAUSE + (thing.from < value.from ? 0 : BACKWARDS);
};

const nearest = (place: Place, things: readonly Occurrence[], value: Occurrence): number =>
  things.reduce((least, thing) => Math.min(least, distance(place, thing, value)), Infinity);

const overlaps = (a: Occurrence, b: Occurrence): boolean => a.from < b.to && b.from < a.to;

/** `capital is X` and `X goals`: an attribute owns what follows it closely, or what stands right before it. */
const owns = (place: Place, word: Occurrence, value: Occurrence): boolean =>
  distance(place, word, value) <= (word.from < value.from ? OWNS : 1 + BACKWARDS);

/** How a passage speaks of a column around a value. */
export interface ColumnNearness {
  /** The column is mentioned, and no other attribute is nearer to the value. */
  mentioned: boolean;
  /** The value plainly belongs to another attribute. */
  taken: boolean;
}

/** Which attribute the words around a value speak of. */
export const columnNearness = (
  corpus: Corpus,
  place: Place,
  value: Occurrence,
  column: Attribute,
  columns: readonly Attribute[],
): ColumnNearness => {
  const mentions = corpus.mentions(place).filter((mention) => !overlaps(mention, value));
  const own = [
    ...mentions.filter((mention) => mentionsColumn(mention, column)),
    ...unspacedMentions(place.passage.tokens, column).filter((mention) => !overlaps(mention, value)),
  ];
  const rivals = columns.filter((each) => each !== column && !sameAttribute(each, column));
  const others = mentions.filter(
    (mention) =>
      !mentionsColumn(mention, column) &&
      (mention.concept !== undefined || rivals.some((rival) => mentionsColumn(mention, rival))),
  );
  const ownDistance = nearest(place, own, value);
  const otherDistance = nearest(place, others, value);
  const numbers = place.passage.tokens.flatMap((token, at) => {
    const number = { from: at, to: at + 1 };
    return isNumber(token) && !overlaps(number, value) ? [number] : [];
  });
  // In "won 5 and was nominated for 12" the word belongs to the nearer of two numbers.
  const isNumeral = place.passage.tokens.slice(value.from, value.to).every(isNumber);
  const holds = own.some(
    (word) => distance(place, word, value) <= (isNumeral ? nearest(place, numbers, word) : Infinity),
  );
  return {
    mentioned: holds && ownDistance < Infinity && ownDistance <= otherDistance,
    taken: otherDistance < ownDistance && others.some((word) => owns(place, word, value)),
  };
};

/** A semicolon ends what a sentence says of a name. In a list item it separates facts about the same name, unless one is denied. */
const cutOff = (place: Place, name: Occurrence, value: Occurrence): boolean => {
  const text = between(place, name, value);
  return /[;；]/u.test(text) && (place.passage.kind === 'sentence' || /\bnot\b|不/u.test(text));
};

/**
 * True where another entity of the table is nearer to the value than the row's own. `assumed` is set on pages and sections
 * that are about the row's entity: there it need not be named, and only a close or preceding rival takes the value.
 */
export const ownedByOther = (
  corpus: Corpus,
  place: Place,
  value: Occurrence,
  own: readonly Occurrence[],
  ownKeys: ReadonlySet<string>,
  assumed: boolean,
): boolean => {
  const rivals = corpus
    .namesIn(place)
    .filter(
      (name) => !ownKeys.has(name.key) && !overlaps(name, value) && !own.some((each) => overlaps(each, name)),
    );
  if (!assumed && own.every((name) => cutOff(place, name, value))) return true;
  if (rivals.length === 0) return false;
  const other = nearest(place, rivals, value);
  const mine = nearest(place, own, value);
  if (mine < Infinity) return other <= mine;
  if (!assumed) return true;
  return rivals.some((rival) => rival.from < value.from) || other <= OWNS;
};

const NEGATION =
  /(?:\b(?:not|never|nor|neither|no longer|former|formerly|previously|predecessor|successor|instead of|rather than)|n['’]t)\s+(?:[\w'’]+\s+){0,2}$/iu;
const NEGATION_UNSPACED = /(?:不是|并非|而非|不在|曾是)$/u;

/** True where the words before a value deny it or put it in the past (`not Lagos`, `former capital`). */
export const denied = (place: Place, value: Occurrence, column: Attribute): boolean => {
  if (column.words.some((word) => /^(?:former|previou)/.test(word))) return false;
  const at = place.passage.tokens[value.from]?.start ?? 0;
  const before = place.page.text.slice(Math.max(place.passage.start, at - 40), at);
  return NEGATION.test(before) || NEGATION_UNSPACED.test(before.trimEnd());
};
