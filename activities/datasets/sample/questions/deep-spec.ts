import { shuffle } from '../seeded.ts';
import type { Language } from './columns.ts';

/** A deep question in both languages. Answers as in `deepQuestionSchema`. */
export interface DeepSpec {
  /** The entity that the question starts from, e.g. `country:AUT`. */
  topic: string;
  hops: 1 | 2 | 3 | 4;
  question: Record<Language, string>;
  answer: Record<Language, string | string[]>;
}

/** A template: makes the question about one start, or null where it would have no single answer. */
export type DeepTemplate<T> = (start: T) => Omit<DeepSpec, 'topic'> | null;

/**
 * `count` questions from each template, about starts in an order of the template's own. No two questions of one
 * template share an answer: a model trained on one of them would know the other.
 */
export function fillTemplates<T>(
  templates: Readonly<Record<string, DeepTemplate<T>>>,
  starts: readonly T[],
  topicOf: (start: T) => string,
  count: number,
): DeepSpec[] {
  return Object.entries(templates).flatMap(([name, template]) => {
    const byAnswer = new Map<string, DeepSpec>();
    for (const start of shuffle(name, starts, topicOf)) {
      const made = template(start);
      const answer = String(made?.answer.en);
      if (made && byAnswer.size < count && !byAnswer.has(answer))
        byAnswer.set(answer, { ...made, topic: topicOf(start) });
    }
    return [...byAnswer.values()];
  });
}

/** The one row with the largest value; null where two share it, a value is missing, or there are under two rows. */
export function uniqueMaximum<T>(rows: readonly T[], value: (row: T) => number | null): T | null {
  if (rows.length < 2 || rows.some((row) => value(row) === null)) return null;
  const sorted = [...rows].sort((a, b) => (value(b) ?? 0) - (value(a) ?? 0));
  const [first, second] = sorted;
  return first !== undefined && second !== undefined && value(first) !== value(second) ? first : null;
}
