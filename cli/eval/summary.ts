import { primaryMetric } from '../../domain/scoring/compare.ts';
import type { MetricDocument } from './metrics.ts';
import { columns, percent, percentRange } from './text.ts';

const SHOWN = ['f1_by_item', 'f1_by_row', 'score', 'accuracy', 'em', 'f1'];

/** Right or wrong: only for these does a share of questions with any hit say something. */
export const WHOLE: ReadonlySet<string> = new Set(['score', 'accuracy', 'em', 'cem']);

/** An evaluation's numbers in a few lines, in percent, with what is missing first. */
export const headlineText = ({ wideseek }: MetricDocument): string => {
  const { summary, complete, scored, expected_samples: expected, unscored } = wideseek;
  const names = SHOWN.filter((name) => summary.all.metrics[name] !== undefined);
  const k = summary.k;
  const rows = names.flatMap((name) => {
    const metric = summary.all.metrics[name];
    if (metric === undefined) return [];
    const pass = WHOLE.has(name) ? percent(metric.pass.mean) : '';
    return [[name, percentRange(metric.avg), percent(metric.max.mean), pass]];
  });
  const missing = complete
    ? `All ${expected} samples are scored.`
    : `Incomplete: ${scored} of ${expected} samples are scored, ${unscored} are unscored.`;
  return rows.length === 0
    ? missing
    : `${missing}\n${columns([['%', `avg@${k} (95%)`, `max@${k}`, `pass@${k}`], ...rows])}`;
};

/** The number that stands for the evaluation: its primary metric's mean with its interval; null without scores. */
export const primaryEstimate = ({ wideseek }: MetricDocument) => {
  const { metrics } = wideseek.summary.all;
  const metric = primaryMetric(Object.keys(metrics));
  const estimate = metric === undefined ? undefined : metrics[metric]?.avg;
  return metric !== undefined && estimate ? { metric, ...estimate } : null;
};
