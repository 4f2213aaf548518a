import { mentionsIn } from './concepts.ts';
import type { Mention } from './concepts.ts';
import { namedAt, vocabularyOf } from './names.ts';
import type { Occurrence, Vocabulary } from './names.ts';
import { passagesOf } from './passages.ts';
import type { Passage } from './passages.ts';
import { aboutness, nameKey, readTitle } from './titles.ts';
import type { TitleReading } from './titles.ts';
import { isNumber, tokenize } from './tokens.ts';

/** A page that was read in this run. `ref` is the hash of its stored text. */
export interface EvidencePage {
  url: string;
  title: string;
  text: string;
  ref: string;
}

/** A passage with the page that it stands on. */
export interface Place {
  page: IndexedPage;
  passage: Passage;
  /** Position among the page's passages. */
  order: number;
}

export interface IndexedPage extends EvidencePage {
  titleReading: TitleReading;
  places: readonly Place[];
}

/** A name of another entity in a passage. */
export interface NameSpan extends Occurrence {
  key: string;
}

/** Pages prepared for many look-ups. */
export interface Corpus {
  pages: readonly IndexedPage[];
  vocabulary: Vocabulary;
  /** Pages whose title is about the name, with how closely (1 or 2). */
  about(name: string): readonly { page: IndexedPage; closeness: 1 | 2 }[];
  /** Passages that name it. */
  naming(name: string): readonly Place[];
  /** Entities of the table that a passage names, longest match first at each position. */
  namesIn(place: Place): readonly NameSpan[];
  mentions(place: Place): readonly Mention[];
}

const push = <K, V>(map: Map<K, V[]>, key: K, value: V): void => {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
};

const memo = <K, V>(compute: (key: K) => V): ((key: K) => V) => {
  const known = new Map<K, V>();
  return (key) => {
    if (!known.has(key)) known.set(key, compute(key));
    return known.get(key) as V;
  };
};

/**
 * Indexes pages by the words of their titles and passages. `names` are the entities of the table, `values` further names
 * that may be part of longer ones, `columnWords` words that a title may add to an entity's name.
 */
export const corpusOf = (
  pages: readonly EvidencePage[],
  names: readonly string[],
  values: Iterable<string>,
  columnWords: ReadonlySet<string>,
): Corpus => {
  const byTitleToken = new Map<string, IndexedPage[]>();
  const byToken = new Map<string, Place[]>();
  const indexed = pages.map((page): IndexedPage => {
    const places: Place[] = [];
    const result: IndexedPage = { ...page, titleReading: readTitle(page.title), places };
    for (const [order, passage] of passagesOf(page.text).entries()) {
      const place: Place = { page: result, passage, order };
      places.push(place);
      for (const key of new Set(passage.tokens.map((token) => token.key))) push(byToken, key, place);
    }
    const titleKeys = new Set(
      result.titleReading.segments.flatMap((segment) => segment.map((token) => token.key)),
    );
    for (const key of titleKeys) push(byTitleToken, key, result);
    return result;
  });

  const about = memo((name: string) => {
    const lists = nameKey(name)
      .split(' ')
      .map((key) => byTitleToken.get(key) ?? [])
      .sort((a, b) => a.length - b.length);
    return (lists[0] ?? []).flatMap((page) => {
      const closeness = aboutness(page.titleReading, name, columnWords);
      return closeness === 0 ? [] : [{ page, closeness }];
    });
  });
  const explained = new Set(names.flatMap((name) => about(name).map(({ page }) => page)));
  const titleNames = indexed
    .filter((page) => !explained.has(page))
    .flatMap((page) => [...page.titleReading.exact]);
  const vocabulary = vocabularyOf([...names, ...values, ...titleNames]);

  const entities = new Map<string, string>();
  for (const name of names) if (nameKey(name) !== '') entities.set(nameKey(name), name);
  const byFirst = new Map<string, { key: string; keys: string[] }[]>();
  for (const [key, name] of entities) {
    const tokens = tokenize(name);
    if (tokens.every(isNumber)) continue;
    const keys = key.split(' ');
    push(byFirst, keys[0] ?? '', { key, keys });
  }
  for (const list of byFirst.values()) list.sort((a, b) => b.keys.length - a.keys.length);

  return {
    pages: indexed,
    vocabulary,
    about,
    naming: memo((name: string) => {
      const phrase = tokenize(name);
      const lists = phrase.map((token) => byToken.get(token.key) ?? []).sort((a, b) => a.length - b.length);
      return (lists[0] ?? []).filter(
        ({ page, passage }) => namedAt(page.text, passage.tokens, name, phrase, vocabulary).length > 0,
      );
    }),
    namesIn: memo((place: Place) => {
      const { tokens } = place.passage;
      const found: NameSpan[] = [];
      for (let from = 0; from < tokens.length; from += 1) {
        const candidates = byFirst.get(tokens[from]?.key ?? '') ?? [];
        const hit = candidates.find(({ keys }) =>
          keys.every((key, offset) => tokens[from + offset]?.key === key),
        );
        if (!hit) continue;
        found.push({ key: hit.key, from, to: from + hit.keys.length });
        from += hit.keys.length - 1;
      }
      return found;
    }),
    mentions: memo((place: Place) => mentionsIn(place.passage.tokens)),
  };
};
