import { aggregate, type Summary } from '../../domain/scoring/aggregate.ts';
import { BOOTSTRAP_SEED, meanOf, seededRandom } from '../../domain/scoring/bootstrap.ts';
import { primaryMetric } from '../../domain/scoring/compare.ts';
import type { EvaluationRecord, SampleRecord } from '../../domain/scoring/samples.ts';
import { meanTurns } from '../../domain/scoring/turn-counts.ts';

/** avg@k, max@k, pass@k with intervals, per language and per status, of an evaluation's samples. */
export const summarise = (samples: readonly SampleRecord[], k: number): Summary =>
  aggregate(
    samples.map(({ questionId, language, status, scores }) => ({
      question: questionId,
      language,
      status,
      values: scores,
    })),
    { k, random: seededRandom(BOOTSTRAP_SEED) },
  );

/** How many samples the evaluation still lacks or could not score. */
export const missingSamples = (
  { questions, samples: k }: EvaluationRecord,
  samples: readonly SampleRecord[],
): number => questions * k - samples.filter(({ scores }) => scores !== null).length;

const counts = (values: readonly string[]): Record<string, number> => {
  const found: Record<string, number> = {};
  for (const value of values) found[value] = (found[value] ?? 0) + 1;
  return found;
};

const stampOf = (ms: number): string =>
  new Date(ms).toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '_');

/** What a reader of `metric.json` has to know about its fields. */
const NOTES = [
  'turn_avg_subtask is per turn of a lead that delegated, turn_avg_search and turn_avg_access are per turn of the others that searched or read; null: none did',
  'turns by role are known for the samples that left a result: turn_avg_*, avg_main_agent_turns_per_traj and avg_subagent_turns_per_traj are means over those',
  'avg_prompt_length and avg_response_length are per model call; traj_avg_access counts pages that could be read',
  'final_answer_format is the share of scored samples that held an answer of the expected form',
  'pass@1, avg@k and pass@k are for single answers only, as in the reference; tables are aggregated under wideseek.summary',
];

/**
 * `metric.json`: the documented fields (spec 6.8) and, under `wideseek`, what the reference lacks. Samples without a
 * score are left out of every score.
 */
export const metricDocument = (evaluation: EvaluationRecord, samples: readonly SampleRecord[]) => {
  const summary = summarise(samples, evaluation.samples);
  const qa = samples.filter(({ kind }) => kind === 'qa');
  const scored = samples.filter(({ scores }) => scores !== null);
  const noForm = scored.filter(({ status }) => status === 'no_table' || status === 'no_response').length;
  const calls = samples.reduce((sum, { usage }) => sum + usage.modelCalls, 0);
  const total = (pick: (usage: SampleRecord['usage']) => number): number =>
    samples.reduce((sum, { usage }) => sum + pick(usage), 0);
  const ratio = (sum: number, of: number): number | null => (of === 0 ? null : sum / of);
  const perRun = (pick: (sample: SampleRecord) => number): number | null =>
    samples.length === 0 ? null : meanOf(samples.map(pick));
  const prompt = total(({ promptTokens }) => promptTokens);
  const response = total(({ completionTokens }) => completionTokens);
  const perTurn = meanTurns(samples.flatMap(({ turnCounts }) => (turnCounts ? [turnCounts] : [])));
  const multi = samples.some(({ agents }) => agents > 1);
  return {
    dataset_size: evaluation.questions,
    experiment_name: evaluation.runId,
    timestamp: stampOf(evaluation.startedAt),
    config: { group_size: evaluation.samples, data_paths: [evaluation.dataset] },
    metrics: {
      ...(qa.length > 0 ? qaMetrics(qa, evaluation.samples) : {}),
      avg_prompt_length: ratio(prompt, calls),
      avg_response_length: ratio(response, calls),
      avg_total_length: ratio(prompt + response, calls),
      total_num_trajectories: samples.length,
      avg_turns_per_traj: perRun(({ turns }) => turns),
      turn_avg_subtask: perTurn.subtask,
      turn_avg_search: perTurn.search,
      turn_avg_access: perTurn.access,
      traj_avg_subtask: perRun(({ agents }) => Math.max(0, agents - 1)),
      traj_avg_search: perRun(({ usage }) => usage.searches),
      traj_avg_access: perRun(({ usage }) => usage.pagesRead),
      final_answer_format: ratio(scored.length - noForm, scored.length),
      ...(multi
        ? {
            avg_main_agent_turns_per_traj: perTurn.main,
            avg_subagent_turns_per_traj: perTurn.subagents,
            avg_num_subagents_per_traj: perRun(({ agents }) => Math.max(0, agents - 1)),
          }
        : {}),
    },
    wideseek: {
      notes: NOTES,
      config: evaluation.config,
      config_hash: evaluation.configHash,
      policy: evaluation.policy,
      settings: evaluation.settings,
      complete: missingSamples(evaluation, samples) <= 0,
      expected_samples: evaluation.questions * evaluation.samples,
      scored: scored.length,
      unscored: samples.length - scored.length,
      summary,
      stop_reasons: counts(samples.map(({ stopReason }) => stopReason ?? 'no result')),
      unscored_reasons: counts(
        samples.flatMap(({ scores, reason }) => (scores === null ? [reason || 'no reason given'] : [])),
      ),
      cost_usd: total(({ microUsd }) => microUsd) / 1e6,
      prompt_tokens: prompt,
      completion_tokens: response,
      model_calls: calls,
      mean_wall_seconds: ratio(
        samples.reduce((sum, { wallMs }) => sum + wallMs / 1_000, 0),
        samples.length,
      ),
    },
  };
};
export type MetricDocument = ReturnType<typeof metricDocument>;

/** The reference's numbers for single answers (spec 5.5), on the judge's accuracy, else on exact match. */
function qaMetrics(samples: readonly SampleRecord[], k: number): Record<string, number | null> {
  const names = new Set(samples.flatMap(({ scores }) => Object.keys(scores ?? {})));
  const metric = primaryMetric([...names].filter((name) => name === 'accuracy' || name === 'em'));
  if (metric === undefined) return { 'pass@1': null, [`avg@${k}`]: null, [`pass@${k}`]: null };
  const { avg, pass } = summarise(samples, k).all.metrics[metric] ?? {};
  const first = new Map<string, number>();
  for (const { questionId, scores } of samples) {
    const value = scores?.[metric];
    if (value !== undefined && !first.has(questionId)) first.set(questionId, value > 0 ? 1 : 0);
  }
  return {
    'pass@1': meanOf([...first.values()]),
    [`avg@${k}`]: avg?.mean ?? null,
    [`pass@${k}`]: pass?.mean ?? null,
  };
}
