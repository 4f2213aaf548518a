import type { Corpus, Place } from './corpus.ts';
import { MAX_QUOTE } from './quote.ts';
import type { Span } from './passages.ts';
import { supportIn } from './support.ts';
import type { Query } from './support.ts';

/** Most passages that one quote may join. */
const MOST = 8;

/**
 * A list-valued cell whose members stand in neighbouring sentences, items or fields of a page about the entity: the
 * shortest run from `from` on that supports every member and fits a quote. Table rows are never joined.
 */
export const nearbySupport = (
  corpus: Corpus,
  from: Place,
  query: Query,
  hasField: boolean,
  inScope: (place: Place) => boolean,
): Span | undefined => {
  const { value } = query;
  if (value.parts.length === 0 || value.ambiguous) return undefined;
  const left = new Set(value.parts);
  const run = from.page.places.slice(from.order, from.order + MOST);
  for (const place of run) {
    const { passage } = place;
    const joins =
      passage.kind !== 'row' && passage.kind !== 'heading' && passage.section === from.passage.section;
    if (!joins || !inScope(place) || passage.end - from.passage.start > MAX_QUOTE) return undefined;
    for (const part of left) {
      const alone = { ...query, value: { whole: part, parts: [], ambiguous: false, unit: value.unit } };
      if (supportIn(corpus, place, alone, 'about', hasField)) left.delete(part);
    }
    if (place === from && left.size === value.parts.length) return undefined;
    if (left.size === 0) return { start: from.passage.start, end: passage.end };
  }
  return undefined;
};
