import { isUnspaced } from './fold.ts';
import { isNumber, sameToken, tokenize } from './tokens.ts';
import type { Token } from './tokens.ts';

/** Tokens `[from, to)` of a token list. */
export interface Occurrence {
  from: number;
  to: number;
}

const MAX_GAP = 3;

/** Two neighbouring tokens belong to one phrase: only a little punctuation between them, and no cell border. */
const joined = (text: string, left: Token, right: Token): boolean => {
  if (right.start - left.end > MAX_GAP) return false;
  const gap = text.slice(left.end, right.start);
  return !/[|;；。:：\t]/.test(gap) && !/\n\s*\n/.test(gap);
};

/** Every place where the tokens of `phrase` stand one after the other. `unit` and `context` as in `sameToken`. */
export const occurrences = (
  text: string,
  tokens: readonly Token[],
  phrase: readonly Token[],
  unit?: string,
  context?: string,
): Occurrence[] => {
  const found: Occurrence[] = [];
  const first = phrase[0];
  if (!first) return found;
  for (let from = 0; from + phrase.length <= tokens.length; from += 1) {
    const start = tokens[from];
    if (!start || !sameToken(start, first, unit, context)) continue;
    const matches = phrase.every((wanted, offset) => {
      const token = tokens[from + offset];
      const previous = tokens[from + offset - 1];
      if (!token || !sameToken(token, wanted, unit, context)) return false;
      return offset === 0 || (previous !== undefined && joined(text, previous, token));
    });
    if (matches) found.push({ from, to: from + phrase.length });
  }
  return found;
};

const SMALL_WORDS = new Set(
  (
    'the a an of in on at for by to from with and or but as is was are were has had its his her their this that while when where since' +
    ' like unlike both between among also only although after before about near include includes including'
  ).split(' '),
);
const HONORIFICS = new Set(
  'president king queen emperor minister premier chancellor governor mayor mr mrs ms dr sir dame lady lord prof professor ceo saint pope'.split(
    ' ',
  ),
);
/** `capital of Chad` names Chad; `University of Chicago` does not name Chicago. */
const FACETS = new Set(
  (
    'capital population area economy geography history culture politics government people languages language currency president city cities' +
    ' climate list map members north south east west part most much parts'
  ).split(' '),
);
/** Characters after and before which a Chinese name may end or start inside a sentence. */
const AFTER = new Set(
  '的是位在有与和及或于为首面人总全地属拥则也又占约常官货领共北南东西、境国将由以曾已这于被向从'.split(''),
);
const BEFORE = new Set('在是为的与和及或对从到由向被了于、即如像比于含括都自'.split(''));

const capital = /^\p{Lu}/u;

/** True where a name's occurrence seems to be part of a longer name (`Niger River`, `Guinea-Bissau`, `几内亚比绍`). */
export const insideLongerName = (text: string, tokens: readonly Token[], at: Occurrence): boolean => {
  const first = tokens[at.from];
  const last = tokens[at.to - 1];
  const previous = tokens[at.from - 1];
  const next = tokens[at.to];
  if (!first || !last) return false;
  if (!isNumber(first)) {
    const before = previous ? text.slice(previous.end, first.start) : '';
    if (previous && before === '-' && !isNumber(previous)) return true;
    if (previous && /^\s$/.test(before) && capital.test(text.slice(first.start)) && !isUnspaced(first.key)) {
      const word = text.slice(previous.start, previous.end);
      if (
        capital.test(word) &&
        !SMALL_WORDS.has(previous.key) &&
        !HONORIFICS.has(previous.key) &&
        !isNumber(previous)
      )
        return true;
      const isThe = previous.key === 'the';
      const of = isThe ? tokens[at.from - 2] : previous;
      const owner = isThe ? tokens[at.from - 3] : tokens[at.from - 2];
      if (of?.key === 'of' && owner && capital.test(text.slice(owner.start)) && !FACETS.has(owner.key))
        return true;
    }
  }
  if (next && !isNumber(last)) {
    const after = text.slice(last.end, next.start);
    if (after === '-' && !isNumber(next)) return true;
    if (
      /^\s$/.test(after) &&
      capital.test(text.slice(first.start)) &&
      !isUnspaced(next.key) &&
      !isNumber(next)
    )
      return capital.test(text.slice(next.start)) && !SMALL_WORDS.has(next.key);
  }
  return false;
};

/** True where an unspaced name is followed and preceded by something that can border a name. */
export const hasBorders = (tokens: readonly Token[], at: Occurrence): boolean => {
  const first = tokens[at.from];
  const last = tokens[at.to - 1];
  if (!first || !last || !isUnspaced(first.key)) return true;
  const previous = tokens[at.from - 1];
  const next = tokens[at.to];
  const opens =
    !previous || previous.end < first.start || !isUnspaced(previous.key) || BEFORE.has(previous.key);
  const closes = !next || next.start > last.end || !isUnspaced(next.key) || AFTER.has(next.key);
  return opens && closes;
};

/** Short names written in capitals (`US`, `IT`, `WHO`) are only found in capitals. */
export const sameCase = (text: string, token: Token, name: string): boolean =>
  !/^[A-Z]{1,3}$/.test(name.trim()) || text.slice(token.start, token.end) === name.trim();

/** A set of names that can tell where an occurrence belongs to a longer one among them. */
export interface Vocabulary {
  /** Longer names, as token lists, that contain the name. */
  longer(name: string): readonly (readonly Token[])[];
}

/** Collects names; those of more than twelve tokens are no names. */
export const vocabularyOf = (names: Iterable<string>): Vocabulary => {
  const parsed = new Map<string, Token[]>();
  for (const name of names) {
    const tokens = tokenize(name);
    if (tokens.length === 0 || tokens.length > 12 || tokens.every(isNumber)) continue;
    parsed.set(tokens.map((token) => token.key).join(' '), tokens);
  }
  const byToken = new Map<string, Token[][]>();
  for (const tokens of parsed.values())
    for (const key of new Set(tokens.map((token) => token.key))) {
      const list = byToken.get(key);
      if (list) list.push(tokens);
      else byToken.set(key, [tokens]);
    }
  const cache = new Map<string, readonly (readonly Token[])[]>();
  return {
    longer(name) {
      const known = cache.get(name);
      if (known) return known;
      const tokens = tokenize(name);
      const lists = tokens.map((token) => byToken.get(token.key) ?? []).sort((a, b) => a.length - b.length);
      const keys = ` ${tokens.map((token) => token.key).join(' ')} `;
      const found = (lists[0] ?? []).filter(
        (other) =>
          other.length > tokens.length && ` ${other.map((token) => token.key).join(' ')} `.includes(keys),
      );
      cache.set(name, found);
      return found;
    },
  };
};

/** Occurrences of a name that are not part of a longer one, by known names, neighbours and borders. */
export const namedAt = (
  text: string,
  tokens: readonly Token[],
  name: string,
  phrase: readonly Token[],
  vocabulary: Vocabulary,
  /** Values of three and more characters may touch other characters of an unspaced script; entities may not. */
  role: 'entity' | 'value' = 'entity',
): Occurrence[] => {
  const found = occurrences(text, tokens, phrase);
  if (found.length === 0) return found;
  const longer = vocabulary.longer(name).flatMap((other) => occurrences(text, tokens, other));
  return found.filter(
    (at) =>
      !longer.some((other) => other.from <= at.from && other.to >= at.to) &&
      !insideLongerName(text, tokens, at) &&
      ((role === 'value' && phrase.length > 2) || hasBorders(tokens, at)) &&
      (phrase.length > 1 || sameCase(text, tokens[at.from] ?? { start: 0, end: 0, key: '' }, name)),
  );
};
