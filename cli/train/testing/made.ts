import type { StepDocument } from '../../../activities/trainer/records.ts';
import type { RunRecord } from '../../../domain/run.ts';
import type { EvalDocument, TrainReportData } from '../report/data.ts';

/** A step with numbers that differ from step to step. */
export const madeStep = (step: number, metrics: Record<string, number> = {}): StepDocument => ({
  ...{ step, version: step, at: 1_700_000_000_000 + 10_000 * step },
  metrics: {
    'rollout/reward_scores_traj': 0.4 + step / 100,
    'rollout/score': 0.3 + step / 100,
    'wideseek_r1/traj/mean/final_answer_format': 0.9,
    'wideseek_r1/avg_num_subagents_per_traj': 2 + step / 10,
    'train/actor/clip_fraction': 0.01,
    'train/actor/kl_loss': 0,
    'train/tokens': 1_000,
    'time/rollout': 3,
    'time/training': 1,
    'time/backward': 0.8,
    'trainer/idle_share': 0.75,
    ...metrics,
  },
  staleness: { 0: 80, 1: 20 },
  stopReasons: { answered: 7, turn_limit: 1 },
  ...{ groups: ['g00000000', 'g00000001'], expired: [], filtered: [], excluded: [] },
});

export const madeEval = (step: number, score: number | null): EvalDocument => ({
  ...{ step, score, greedy: 0.6, unscored: 0 },
  metrics: { sampled: { 'rollout/score': score ?? 0 }, greedy: { 'rollout/score': 0.6 } },
});

export const madeRun: RunRecord = {
  ...{ runId: 'train-made', kind: 'train', workflowId: 'train/made', config: 'mini', status: 'ok' },
  ...{ title: 'mini: 260 questions × 8', stopReason: null },
  ...{ startedAt: 1_700_000_000_000, finishedAt: 1_700_000_100_000, resultRef: null },
};

export const madeReport = (steps = 12): TrainReportData => ({
  run: madeRun,
  steps: Array.from({ length: steps }, (_, step) => madeStep(step)),
  evals: [madeEval(0, 0.35), madeEval(steps, 0.5)],
  fates: { trained: 2 * steps, 'filtered: equal_rewards': 3 },
  checkpoints: [
    {
      ...{ step: steps, path: 'tinker://m/weights/step-12', snapshot: 'tinker://m/v12', url: 'http://x' },
      ...{ score: 0.5, kept: true },
    },
  ],
  config: { name: '<mini & co>' },
});
