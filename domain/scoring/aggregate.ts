import type { Language } from '../agents/messages.ts';
import type { Estimate, Random } from './bootstrap.ts';
import { drawResamples, estimate, meanOf } from './bootstrap.ts';

/** One scored (or unscored) answer to one question. */
export interface Sample {
  question: string;
  language: Language;
  /** Status of its evaluation, counted in the report. */
  status: string;
  /** Numbers by metric name; null where the answer could not be scored. */
  values: Readonly<Record<string, number>> | null;
}

/** Means over questions of the mean, maximum and minimum over samples, and the share of questions with a maximum above 0. */
export interface MetricSummary {
  avg: Estimate;
  max: Estimate;
  min: Estimate;
  pass: Estimate;
}

export interface GroupSummary {
  questions: number;
  samples: number;
  /** Samples without numbers; they are left out of every mean. */
  unscored: number;
  /** Questions with fewer than k scored samples; their max is biased downwards. */
  short: string[];
  metrics: Record<string, MetricSummary>;
}

export interface Summary {
  k: number;
  all: GroupSummary;
  byLanguage: Partial<Record<Language, GroupSummary>>;
  byStatus: Record<string, number>;
  /** Every question has at least k scored samples. */
  complete: boolean;
}

export interface AggregateOptions {
  /** Samples per question that were asked for. */
  k: number;
  random: Random;
  resamples?: number;
  confidence?: number;
}

/**
 * avg@k, max@k, min@k and pass@k (11.1, WideSeek 5.5) for all questions and per language (FIX-22), with bootstrap
 * intervals over questions. Questions keep their order of first appearance, so equal input gives equal numbers.
 */
export function aggregate(samples: readonly Sample[], options: AggregateOptions): Summary {
  const byStatus: Record<string, number> = {};
  for (const { status } of samples) byStatus[status] = (byStatus[status] ?? 0) + 1;
  const all = summarise(samples, options);
  const byLanguage: Summary['byLanguage'] = {};
  for (const language of ['en', 'zh'] as const) {
    const part = samples.filter((sample) => sample.language === language);
    if (part.length > 0) byLanguage[language] = summarise(part, options);
  }
  return { k: options.k, all, byLanguage, byStatus, complete: all.short.length === 0 };
}

function summarise(samples: readonly Sample[], options: AggregateOptions): GroupSummary {
  const scored = new Map<string, Readonly<Record<string, number>>[]>();
  for (const { question, values } of samples) {
    const known = scored.get(question) ?? [];
    if (values !== null) known.push(values);
    scored.set(question, known);
  }
  const groups = [...scored.values()].filter((values) => values.length > 0);
  const draws = drawResamples(groups.length, options.resamples ?? 1_000, options.random);
  const names = [...new Set(groups.flatMap((values) => values.flatMap((value) => Object.keys(value))))];
  const metrics = names.map((name): [string, MetricSummary] => {
    const perQuestion = groups.map((values) => values.flatMap((value) => value[name] ?? []));
    const over = (reduce: (values: number[]) => number): Estimate =>
      estimate(
        perQuestion.map((values) => (values.length > 0 ? reduce(values) : null)),
        draws,
        options.confidence ?? 0.95,
      );
    return [
      name,
      {
        avg: over(meanOf),
        max: over((values) => Math.max(...values)),
        min: over((values) => Math.min(...values)),
        pass: over((values) => (Math.max(...values) > 0 ? 1 : 0)),
      },
    ];
  });
  return {
    questions: scored.size,
    samples: samples.length,
    unscored: samples.filter(({ values }) => values === null).length,
    short: [...scored].filter(([, values]) => values.length < options.k).map(([question]) => question),
    metrics: Object.fromEntries(metrics),
  };
}
