import type { Store } from '../../activities/store/port.ts';
import type { RunRecord } from '../../domain/run.ts';
import { loadTrainReport } from './report/data.ts';
import { trainKindOf } from './start.ts';

/** What is known of a training, for `wideseek show`. */
export const trainingSummary = async (
  store: Store,
  run: RunRecord,
): Promise<{ text: string; facts: Record<string, unknown> }> => {
  const { steps, evals, fates, checkpoints } = await loadTrainReport(store, run.runId);
  const last = steps.at(-1)?.metrics ?? {};
  const dev = evals.at(-1) ?? null;
  const kept = checkpoints.filter((one) => one.kept);
  const number = (label: string, value: number | null | undefined): string[] =>
    value === undefined || value === null ? [] : [`${label} ${value.toFixed(3)}`];
  const ends = Object.entries(fates).map(([name, count]) => `${count} ${name}`);
  const text = [
    `${run.runId}: ${run.title}`,
    `${trainKindOf(run)} is ${run.status} after ${steps.length} steps`,
    [
      ...number('reward', last['rollout/reward_scores_traj']),
      ...number('item F1', last['rollout/score']),
      ...number('loss', last['train/loss']),
      ...number('dev', dev?.score),
      ...number('dev, greedy', dev?.greedy),
    ].join(' · '),
    ...(ends.length > 0 ? [`groups: ${ends.join(', ')}`] : []),
    ...kept.map(({ step, path }) => `checkpoint after ${step} steps: ${path}`),
    run.status === 'running'
      ? `Watch it: wideseek watch ${run.runId}`
      : `Charts: wideseek train report ${run.runId}`,
  ]
    .filter((line) => line !== '')
    .join('\n');
  return {
    text,
    facts: { steps: steps.length, last, dev, fates, checkpoints: kept },
  };
};
