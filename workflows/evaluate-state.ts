import {
  allHandlersFinished,
  condition,
  defineQuery,
  defineUpdate,
  makeContinueAsNewFunc,
  setHandler,
  upsertMemo,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import type { EvaluateInput, EvaluationPlan, EvaluationProgress } from '../domain/scoring/evaluation-plan.ts';
import type { evaluate } from './evaluate.ts';

/** An evaluation under way; one plain object that continue-as-new carries. Samples themselves are in the store. */
export interface EvaluateState {
  /** Null until the configuration and the questions have been read. */
  plan: EvaluationPlan | null;
  /** Index of the next item to look at. */
  next: number;
  /** Samples that were scored before this run. */
  skipped: number;
  scored: number;
  unscored: number;
  running: number;
  paused: boolean;
  /** Sums of the scores of this run, by metric. */
  sums: Record<string, number>;
}

/** Events after which an evaluation continues as new, well below the server's 51,200. */
const HISTORY_EVENTS = 8_000;

const key = (name: string) => defineSearchAttributeKey(name, SearchAttributeType.KEYWORD);
export const evaluationProgress = defineQuery<EvaluationProgress>('progress');
export const pauseUpdate = defineUpdate<string>('pause');
export const unpauseUpdate = defineUpdate<string>('unpause');

export const freshState = (): EvaluateState => ({
  plan: null,
  next: 0,
  skipped: 0,
  scored: 0,
  unscored: 0,
  running: 0,
  paused: false,
  sums: {},
});

/** What the UI's list shows and filters by. */
export function describeEvaluation(plan: EvaluationPlan): void {
  upsertSearchAttributes([
    { key: key('WideseekRun'), value: plan.runId },
    { key: key('WideseekDataset'), value: plan.dataset },
    { key: key('WideseekPolicy'), value: plan.policy.slice(0, 200) },
  ]);
  upsertMemo({ dataset: plan.dataset, samples: plan.total, policy: plan.policy });
}

/**
 * Makes an evaluation observable and pausable from its first moment. A pause lets open questions finish and starts no
 * new ones.
 */
export function serveEvaluation(state: EvaluateState, input: EvaluateInput) {
  const next = makeContinueAsNewFunc<typeof evaluate>();
  setHandler(evaluationProgress, () => ({
    runId: state.plan?.runId ?? '',
    done: state.skipped + state.scored + state.unscored,
    total: state.plan?.total ?? 0,
    running: state.running,
    scored: state.skipped + state.scored,
    unscored: state.unscored,
    paused: state.paused,
    meanScore: Object.fromEntries(
      Object.entries(state.sums).map(([name, sum]) => [name, sum / state.scored]),
    ),
  }));
  setHandler(pauseUpdate, () => {
    state.paused = true;
    return `paused; ${state.running} questions finish`;
  });
  setHandler(unpauseUpdate, () => {
    state.paused = false;
    return 'goes on';
  });
  return {
    shouldContinueAsNew: () =>
      workflowInfo().continueAsNewSuggested || workflowInfo().historyLength > HISTORY_EVENTS,
    continueAsNew: async (): Promise<never> => {
      await condition(allHandlersFinished);
      return next(input, state);
    },
  };
}
