import { findAnchor } from './anchor.ts';
import { valueAroundHan } from './clause-chinese.ts';
import { statedIn, valueAround } from './clause-english.ts';
import type { ColumnType } from './column-type.ts';
import { quantitiesIn } from './quantities.ts';
import { coverage, isHan, terms, wordMatch } from './text.ts';
import { chooseQuantity, printQuantity, yearIn } from './typed-value.ts';

/** A value lifted from a page. `quote` stands on the page; `score` is 0..1. */
export interface Found {
  value: string;
  quote: string;
  score: number;
}

const COMPARISON =
  /\b(?:than|compared?|similar|close\s+to|closest|nearest|nearly|next\s+to)\b|相比|相近|接近|最近|相当|同样|还有|另外|也以|也使用|其他|其它|不同/iu;

/** Reads one sentence for a column; `near` tells that its meaning fits although its words may not. */
export function fromSentence(
  text: string,
  entity: string,
  column: string,
  type: ColumnType,
  near: boolean,
): Found | null {
  const compared = COMPARISON.test(text) ? 0.6 : 1;
  const found = read(text, entity, column, type, near);
  return found && { ...found, quote: text, score: found.score * compared };
}

function read(
  text: string,
  entity: string,
  column: string,
  type: ColumnType,
  near: boolean,
): Omit<Found, 'quote'> | null {
  const anchor = findAnchor(text, type.terms, column);
  const covered = anchor?.coverage ?? 0;
  const sure = covered >= 0.75 || (covered >= 0.4 && anchor?.head === true);
  const described = type.options.length > 0 && coverage(terms(column), terms(text)) >= 0.4;
  if (type.options.length > 0) return chosenOption(text, type, sure || near || described);
  if (type.kind === 'number') {
    const quantity = chooseQuantity(quantitiesIn(text), type, anchor?.end ?? 0);
    if (!quantity) return null;
    const measured = type.dimension !== '' && quantity.dimension === type.dimension;
    const alone = measured && (type.dimension === 'area' || covered >= 0.4);
    if (!sure && !near && !alone) return null;
    return {
      value: printQuantity(quantity, type),
      score: 0.55 * covered + (measured ? 0.3 : 0.05) + (near ? 0.1 : 0),
    };
  }
  if (type.kind === 'year') {
    const year = yearIn(text, anchor?.end ?? 0);
    return year && (sure || near) ? { value: year, score: 0.6 * covered + 0.25 } : null;
  }
  if (anchor && sure) {
    const around = isHan(column)
      ? valueAroundHan(text, anchor.start, anchor.end)
      : valueAround(text, anchor.start, anchor.end, entity);
    if (around && around.value !== '' && around.value.length <= 300)
      return { value: around.value, score: 0.85 * covered * around.trust };
  }
  const stated = near && !isHan(text) ? statedIn(text, entity) : null;
  return stated ? { value: stated, score: 0.3 } : null;
}

/** The one option of the column that a sentence names; none where it names several. */
function chosenOption(text: string, type: ColumnType, allowed: boolean): Omit<Found, 'quote'> | null {
  if (!allowed) return null;
  const said = terms(text);
  const named = type.options.filter((option) =>
    isHan(option)
      ? text.includes(option) || text.includes(option.slice(0, -1))
      : terms(option).every((term) => said.some((word) => wordMatch(term, word) === 1)),
  );
  return named.length === 1 && named[0] !== undefined ? { value: named[0], score: 0.7 } : null;
}
