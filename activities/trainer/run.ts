import type { BatchDecision } from '../../domain/rl/batch-close.ts';
import { evalGroupId, numberKey } from '../../domain/rl/names.ts';
import { learningRate } from '../../domain/rl/schedule.ts';
import type { RunStatus } from '../../domain/run.ts';
import { withTypedFailures } from '../failures.ts';
import { scoreCheckpoint } from './checkpoints.ts';
import { setFate } from './group.ts';
import { readTrainer } from './live-model.ts';
import {
  type PlanDeps,
  planRollouts,
  planTraining,
  settingsReader,
  trainingConfig,
  type TrainInput,
  type TrainPlan,
  trainingDocumentSchema,
} from './plan.ts';
import {
  type BatchDocument,
  batchDocumentSchema,
  batchesOf,
  evalsOf,
  groupDocumentSchema,
  groupsOf,
  type RolloutFacts,
  type StepDocument,
  stepDocumentSchema,
  stepsOf,
  TRAININGS,
} from './records.ts';
import { rolloutMetrics } from './step-metrics.ts';

export interface BatchInput {
  plan: TrainPlan;
  step: number;
  decision: Extract<BatchDecision, { kind: 'close' }>;
  waitMs: number;
  /** A person's learning rate instead of the schedule's. */
  learningRate: number | null;
}

/** What a step tells its workflow. */
export interface StepSummary {
  rewardMean: number;
  scoreMean: number;
  idleShare: number;
  /** Largest age, in versions, of a token that was trained. */
  staleness: number;
  trainMs: number;
}

/** Mean scores of one evaluation on the dev questions. */
export interface EvaluationSummary {
  step: number;
  /** At the configured temperature; null where nothing could be scored. */
  score: number | null;
  greedy: number | null;
  unscored: number;
}

/** What brackets the steps of a training: plan, batches, records. */
export function createTrainRunActivities(deps: PlanDeps) {
  const { store } = deps;
  const settingsOf = settingsReader(store);

  /**
   * Fixes what a step trains on. The first composition of a step stands, so a step that was under way when everything
   * stopped is the same step afterwards.
   */
  async function composeBatch(input: BatchInput): Promise<BatchDocument> {
    const { plan, step, decision, waitMs } = input;
    const key = numberKey(step);
    const known = batchDocumentSchema.safeParse(await store.documents.get(batchesOf(plan.runId), key));
    if (known.success) return known.data;
    const { optimiser, minibatches, steps } = trainingConfig(await settingsOf(plan.settingsRef));
    const schedule = { ...optimiser.schedule, totalSteps: steps * minibatches };
    const batch: BatchDocument = {
      ...{ step, groups: decision.take, reason: decision.reason, expired: decision.expired, waitMs },
      learningRates: Array.from(
        { length: minibatches },
        (_, part) => input.learningRate ?? learningRate(step * minibatches + part, schedule),
      ),
    };
    for (const id of decision.expired) await setFate(store, plan.runId, id, { kind: 'expired', step });
    await store.documents.put(batchesOf(plan.runId), key, batch);
    return batch;
  }

  /** Takes back a composition with nothing to train on; its groups are filtered. Not once the step has been taken. */
  async function discardBatch(plan: TrainPlan, step: number): Promise<void> {
    const trainer = await readTrainer(store, plan.runId);
    const known = batchDocumentSchema.safeParse(
      await store.documents.get(batchesOf(plan.runId), numberKey(step)),
    );
    if (!known.success || (trainer?.applied ?? 0) > step) return;
    for (const id of known.data.groups)
      await setFate(store, plan.runId, id, { kind: 'filtered', reason: 'no_tokens' });
    await store.documents.put(batchesOf(plan.runId), numberKey(step), null);
  }

  /** Keeps the workflow's state, small and by reference, for `resume`; returns the step's numbers for its `progress`. */
  async function recordProgress(
    plan: TrainPlan,
    state: unknown,
    step: number | null,
  ): Promise<StepSummary | null> {
    const known = trainingDocumentSchema.parse(await store.documents.get(TRAININGS, plan.runId));
    await store.documents.put(TRAININGS, plan.runId, { ...known, state });
    if (step === null) return null;
    const value = await store.documents.get(stepsOf(plan.runId), numberKey(step));
    return value === undefined ? null : summaryOf(stepDocumentSchema.parse(value));
  }

  /** Aggregates the groups of an evaluation and remembers the score with the checkpoint. */
  async function recordEvaluation(plan: TrainPlan, step: number): Promise<EvaluationSummary> {
    const evaluation = plan.training?.evaluation;
    const modes: Record<string, RolloutFacts[]> = {};
    for (const mode of ['sampled', 'greedy'] as const) {
      if (mode === 'greedy' && !evaluation?.greedy) continue;
      const ids = Array.from({ length: evaluation?.questions ?? 0 }, (_, at) => evalGroupId(step, mode, at));
      const documents = await Promise.all(ids.map((id) => store.documents.get(groupsOf(plan.runId), id)));
      modes[mode] = documents.flatMap((value) =>
        value === undefined ? [] : groupDocumentSchema.parse(value).rollouts,
      );
    }
    const metrics = Object.fromEntries(
      Object.entries(modes).map(([mode, facts]) => [
        mode,
        rolloutMetrics(facts.filter(({ kind }) => kind === 'scored')),
      ]),
    );
    const summary: EvaluationSummary = {
      step,
      score: metrics.sampled?.['rollout/score'] ?? null,
      greedy: metrics.greedy?.['rollout/score'] ?? null,
      unscored: Object.values(modes)
        .flat()
        .filter(({ kind }) => kind !== 'scored').length,
    };
    await store.documents.put(evalsOf(plan.runId), numberKey(step), { ...summary, at: deps.now(), metrics });
    if (summary.score !== null) await scoreCheckpoint(store, plan.runId, step, summary.score);
    return summary;
  }

  /** The run's line in the list. */
  async function finishTraining(runId: string, status: Exclude<RunStatus, 'running'>): Promise<void> {
    const run = await store.runs.get(runId);
    if (run) await store.runs.save({ ...run, status, finishedAt: deps.now() });
  }

  return {
    planTraining: withTypedFailures('configuration', (input: TrainInput, runId: string, workflowId: string) =>
      planTraining(deps, input, runId, workflowId),
    ),
    planRollouts: withTypedFailures('configuration', (input: TrainInput, runId: string, workflowId: string) =>
      planRollouts(deps, input, runId, workflowId),
    ),
    composeBatch: withTypedFailures('store', composeBatch),
    discardBatch: withTypedFailures('store', discardBatch),
    recordProgress: withTypedFailures('store', recordProgress),
    recordEvaluation: withTypedFailures('store', recordEvaluation),
    finishTraining: withTypedFailures('store', finishTraining),
  };
}
export type TrainRunActivities = ReturnType<typeof createTrainRunActivities>;

function summaryOf({ metrics, staleness }: StepDocument): StepSummary {
  return {
    rewardMean: metrics['rollout/reward_scores_traj'] ?? 0,
    scoreMean: metrics['rollout/score'] ?? 0,
    idleShare: metrics['trainer/idle_share'] ?? 0,
    staleness: Math.max(0, ...Object.keys(staleness).map(Number)),
    trainMs: (metrics['time/training'] ?? 0) * 1000,
  };
}
