import type { Language } from '../agents/messages.ts';
import type { Estimate, Random } from './bootstrap.ts';
import { drawResamples, estimate, meanOf } from './bootstrap.ts';
import type { SampleRecord } from './samples.ts';

/** Metrics that say right or wrong, most telling first; the others are shares. */
const SUCCESS_METRICS = ['score', 'accuracy', 'em'];
/** The number that stands for a whole run, most telling first. */
const PRIMARY_METRICS = ['f1_by_item', 'accuracy', 'em', 'f1'];

/** The metric that a run is judged by: item F1 for tables, accuracy for single answers, else the first there is. */
export const primaryMetric = (names: readonly string[]): string | undefined =>
  PRIMARY_METRICS.find((name) => names.includes(name)) ?? names[0];

/** One metric over the questions that both runs scored. Differences are B − A, so positive means B is better. */
export interface PairedMetric {
  questions: number;
  a: Estimate;
  b: Estimate;
  /** Mean of the differences per question with its bootstrap interval over questions. */
  difference: Estimate;
  better: number;
  worse: number;
  equal: number;
}

/** A question whose outcome changed: `why` is `solved`, `lost`, or `changed` for a large difference. */
export interface Flip {
  questionId: string;
  language: Language;
  metric: string;
  why: 'solved' | 'lost' | 'changed';
  /** Means over samples in [0, 1]. */
  a: number;
  b: number;
}

export interface RunComparison {
  /** Questions that both runs scored at least once; everything else is left out of every number. */
  shared: string[];
  /** Questions that only one of the runs scored, because the other lacks them or could not score them. */
  onlyA: string[];
  onlyB: string[];
  /** Same id, other question or gold: not comparable and left out. */
  changedQuestions: string[];
  metrics: Record<string, PairedMetric>;
  /** Largest differences first. */
  flips: Flip[];
}

export interface CompareOptions {
  random: Random;
  /** Default: every metric that both runs have. */
  metrics?: readonly string[];
  resamples?: number;
  confidence?: number;
  /** Difference of a question's mean from which on it counts as changed, in (0, 1]. */
  flipAt?: number;
}

interface Question {
  language: Language;
  ref: string;
  scores: Readonly<Record<string, number>>[];
}

/**
 * Paired comparison of two runs: per metric the mean difference per question with a bootstrap interval over questions,
 * and the questions that flipped. Pairing removes how hard each question is, so it sees differences that two separate
 * intervals would hide. Unscored samples are left out, never taken for 0.
 */
export function compareRuns(
  a: readonly SampleRecord[],
  b: readonly SampleRecord[],
  options: CompareOptions,
): RunComparison {
  const [left, right] = [byQuestion(a), byQuestion(b)];
  const both = [...left].flatMap(([id, one]) => {
    const other = right.get(id);
    return other ? [{ id, one, other }] : [];
  });
  const pairs = both.filter(({ one, other }) => one.ref === other.ref);
  const names = options.metrics ?? sharedMetrics(pairs);
  const draws = drawResamples(pairs.length, options.resamples ?? 2_000, options.random);
  const confidence = options.confidence ?? 0.95;
  const metrics: Record<string, PairedMetric> = {};
  for (const name of names) {
    const values = pairs.map(({ one, other }) => {
      const [from, to] = [meanScore(one, name), meanScore(other, name)];
      return from === null || to === null ? null : { from, to };
    });
    const known = values.filter((value) => value !== null);
    if (known.length === 0) continue;
    // Questions without this metric (another kind of question) must not thin out its resamples.
    const own =
      known.length === pairs.length ? draws : drawResamples(known.length, draws.length, options.random);
    const over = (pick: (value: { from: number; to: number }) => number): Estimate =>
      estimate(known.map(pick), own, confidence);
    metrics[name] = {
      questions: known.length,
      a: over(({ from }) => from),
      b: over(({ to }) => to),
      difference: over(({ from, to }) => to - from),
      better: known.filter(({ from, to }) => to > from).length,
      worse: known.filter(({ from, to }) => to < from).length,
      equal: known.filter(({ from, to }) => to === from).length,
    };
  }
  return {
    shared: pairs.map(({ id }) => id),
    onlyA: [...left.keys()].filter((id) => !right.has(id)),
    onlyB: [...right.keys()].filter((id) => !left.has(id)),
    changedQuestions: both.filter(({ one, other }) => one.ref !== other.ref).map(({ id }) => id),
    metrics,
    flips: findFlips(pairs, names, options.flipAt ?? 0.5),
  };
}

interface Pair {
  id: string;
  one: Question;
  other: Question;
}

/** Questions with at least one scored sample, in order of first appearance. */
function byQuestion(samples: readonly SampleRecord[]): Map<string, Question> {
  const questions = new Map<string, Question>();
  for (const { questionId, language, questionRef, scores } of samples) {
    if (scores === null) continue;
    const known = questions.get(questionId) ?? { language, ref: questionRef, scores: [] };
    known.scores.push(scores);
    questions.set(questionId, known);
  }
  return questions;
}

function sharedMetrics(pairs: readonly Pair[]): string[] {
  const namesOf = (side: (pair: Pair) => Question): Set<string> =>
    new Set(pairs.flatMap((pair) => side(pair).scores.flatMap((scores) => Object.keys(scores))));
  const right = namesOf(({ other }) => other);
  return [...namesOf(({ one }) => one)].filter((name) => right.has(name));
}

function meanScore({ scores }: Question, metric: string): number | null {
  const values = scores.flatMap((each) => each[metric] ?? []);
  return values.length === 0 ? null : meanOf(values);
}

/** A question is solved where any sample is fully right; without that change, the primary metric must move by `flipAt`. */
function findFlips(pairs: readonly Pair[], names: readonly string[], flipAt: number): Flip[] {
  const flips = pairs.flatMap(({ id, one, other }): Flip[] => {
    const at = (metric: string): { metric: string; a: number; b: number } | null => {
      const [a, b] = [meanScore(one, metric), meanScore(other, metric)];
      return a === null || b === null ? null : { metric, a, b };
    };
    const common = { questionId: id, language: one.language };
    const success = firstKnown(SUCCESS_METRICS, names, at);
    const solved = (question: Question): boolean =>
      success !== null && question.scores.some((scores) => scores[success.metric] === 1);
    if (success && solved(one) !== solved(other))
      return [{ ...common, ...success, why: solved(other) ? 'solved' : 'lost' }];
    const primary = firstKnown(PRIMARY_METRICS, names, at) ?? firstKnown(names, names, at);
    const large = primary !== null && Math.abs(primary.b - primary.a) >= flipAt;
    return large ? [{ ...common, ...primary, why: 'changed' }] : [];
  });
  return flips.sort((x, y) => Math.abs(y.b - y.a) - Math.abs(x.b - x.a));
}

function firstKnown<T>(
  order: readonly string[],
  names: readonly string[],
  at: (name: string) => T | null,
): T | null {
  for (const name of order) {
    const found = names.includes(name) ? at(name) : null;
    if (found !== null) return found;
  }
  return null;
}

export interface DropRule {
  /** Drop that is tolerated, as a share of 1: the whole interval must lie below −tolerance. */
  tolerance?: number;
  /** With fewer shared questions no interval is worth acting on, and nothing counts as significant. */
  minQuestions?: number;
}

/**
 * Whether B is significantly worse than A: the upper end of the paired interval lies below −tolerance. An interval of
 * fewer than `minQuestions` (5) questions never is.
 */
export function isSignificantDrop(metric: PairedMetric | undefined, rule: DropRule = {}): boolean {
  if (metric === undefined || metric.questions < (rule.minQuestions ?? 5)) return false;
  return metric.difference.high < -(rule.tolerance ?? 0);
}
