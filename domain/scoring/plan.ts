import { normaliseHeader } from '../tables/keys.ts';
import type { EvalRecord, MetricName, PreprocessName } from './record.ts';
import { METRIC_FUNCTION_NAMES, PREPROCESS_NAMES, isOneOf } from './record.ts';

/** What is done with one required column. */
export interface ColumnPlan {
  name: string;
  isKey: boolean;
  preprocess: PreprocessName[];
  /** FIX-19: `exact_match` where a non-key column has none. */
  metrics: MetricName[];
  criterion: unknown;
  /** pairs of equal text are right without asking the judge. The benchmark asks about every pair. */
  exactFirst: boolean;
}

/** The recipe of a checked record, one entry per required column in order. */
export function planColumns(
  record: EvalRecord,
  required: readonly string[],
  keys: readonly string[],
): ColumnPlan[] {
  const steps = new Map(
    Object.entries(record.evaluation.eval_pipeline).map(([name, step]) => [normaliseHeader(name), step]),
  );
  return required.map((name) => {
    const step = steps.get(name);
    const isKey = keys.includes(name);
    const metrics = (step?.metric ?? []).filter((metric) => isOneOf(METRIC_FUNCTION_NAMES, metric));
    return {
      name,
      isKey,
      preprocess: (step?.preprocess ?? []).filter((entry) => isOneOf(PREPROCESS_NAMES, entry)),
      metrics: metrics.length === 0 && !isKey ? ['exact_match'] : metrics,
      criterion: step?.criterion,
      exactFirst: false,
    };
  });
}
