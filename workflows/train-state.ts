import {
  allHandlersFinished,
  ApplicationFailure,
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
import type { TrainInput, TrainPlan, TrainingPlan } from '../activities/trainer/plan.ts';
import type { PublishedPolicy } from '../activities/trainer/policy.ts';
import type { EvaluationSummary, StepSummary } from '../activities/trainer/run.ts';
import type { train } from './train.ts';

/** A group by its number, and the policy version when it was admitted. */
export interface AdmittedGroup {
  index: number;
  admittedAt: number;
}

/** A training under way; one plain object that continue-as-new carries and `resume` finds. */
export interface TrainState {
  plan: TrainPlan & { training: TrainingPlan };
  /** Finished steps; also the version of the published policy. */
  step: number;
  /** Number of the next group. */
  next: number;
  open: AdmittedGroup[];
  ready: AdmittedGroup[];
  /** Groups of the step that is under way. */
  training: AdmittedGroup[];
  /** The trainer's host and its queue. */
  lease: { host: string; queue: string } | null;
  /** The latest published weights. */
  policy: PublishedPolicy | null;
  paused: boolean;
  stopAfter: number | null;
  closeRequested: boolean;
  learningRate: number | null;
  trained: number;
  filtered: number;
  failed: number;
  expired: number;
  /** Groups in a row that could not be trained on, and those among them that broke. */
  barren: number;
  outages: number;
  last: StepSummary | null;
  dev: EvaluationSummary | null;
  /** Milliseconds since the epoch from which the next batch is waited for. */
  waitingSince: number;
  /** Milliseconds of the latest steps, waiting included. */
  stepMs: number[];
  phase: 'starting' | 'rollouts' | 'training' | 'evaluating' | 'paused' | 'done';
  note: string;
}

/** Answer of `progress`: small, whatever the run's size. */
export interface TrainProgress {
  runId: string;
  phase: TrainState['phase'];
  step: number;
  steps: number;
  version: number;
  running: number;
  buffered: number;
  trained: number;
  filtered: number;
  failed: number;
  expired: number;
  rewardMean: number | null;
  scoreMean: number | null;
  idleShare: number | null;
  staleness: number | null;
  dev: EvaluationSummary | null;
  host: string | null;
  /** Seconds until the last step, from the latest ones; null before the first. */
  etaSeconds: number | null;
  note: string;
}

export const trainProgress = defineQuery<TrainProgress>('progress');
export const pauseTraining = defineUpdate<string>('pause');
export const resumeTraining = defineUpdate<string>('resume');
export const setLearningRate = defineUpdate<string, [number | null]>('setLearningRate');
export const stopAfterStep = defineUpdate<string, [number?]>('stopAfterStep');
export const closeBatchNow = defineUpdate<string>('closeBatchNow');

const key = (name: string) => defineSearchAttributeKey(name, SearchAttributeType.KEYWORD);

export const freshState = (plan: TrainState['plan']): TrainState => ({
  ...{ plan, step: 0, next: 0, open: [], ready: [], training: [], lease: null, policy: null },
  ...{ paused: false, stopAfter: null, closeRequested: false, learningRate: null },
  ...{ trained: 0, filtered: 0, failed: 0, expired: 0, barren: 0, outages: 0 },
  ...{ last: null, dev: null, waitingSince: Date.now(), stepMs: [], phase: 'starting', note: '' },
});

/** The last step that will be taken. */
export const lastStep = ({ plan, stopAfter }: TrainState): number =>
  Math.min(plan.training.steps, stopAfter ?? Infinity);

/** What the updates act on; there once the plan is. */
interface Live {
  state: TrainState;
  /** Wakes what waits for a change. */
  touch: () => void;
}

/**
 * Makes a training steerable from its first moment: an update that comes before the plan waits for it. Returns the
 * function that says what there is to steer.
 */
export function steerTraining(): (training: Live) => void {
  let live: Live | null = null;
  const whenLive = <T>(act: (training: Live) => T): T | Promise<T> =>
    live !== null ? act(live) : condition(() => live !== null).then(() => act(live!));
  const change = (act: (state: TrainState) => string) => () =>
    whenLive(({ state, touch }) => {
      const answer = act(state);
      touch();
      return answer;
    });
  setHandler(
    pauseTraining,
    change((state) => {
      state.paused = true;
      return `paused after step ${state.step}; ${state.open.length} groups finish`;
    }),
  );
  setHandler(
    resumeTraining,
    change((state) => {
      state.paused = false;
      return 'goes on';
    }),
  );
  setHandler(
    closeBatchNow,
    change((state) => {
      if (state.plan.training.alternates)
        throw ApplicationFailure.nonRetryable(
          'this engine cannot sample while it trains, so a step waits until no rollout runs',
        );
      state.closeRequested = true;
      return `the next step takes what is there: ${state.ready.length} groups now`;
    }),
  );
  setHandler(
    setLearningRate,
    (rate) =>
      whenLive(({ state }) => {
        state.learningRate = rate;
        return rate === null ? 'back to the schedule' : `${rate} from the next batch on`;
      }),
    {
      validator: (rate) => {
        if (rate !== null && (typeof rate !== 'number' || !(rate >= 0) || !Number.isFinite(rate)))
          throw new Error('the learning rate must be a number of at least 0, or null for the schedule');
      },
    },
  );
  setHandler(stopAfterStep, (step) =>
    whenLive(({ state, touch }) => {
      state.stopAfter = Math.max(state.step + Number(state.training.length > 0), step ?? 0);
      touch();
      return `ends after step ${state.stopAfter}`;
    }),
  );
  return (training) => (live = training);
}

/** Makes a training observable, and says when and how it carries itself over to a new history. */
export function serveTraining(state: TrainState, input: TrainInput) {
  const next = makeContinueAsNewFunc<typeof train>();
  const { plan } = state;
  upsertSearchAttributes([{ key: key('WideseekRun'), value: plan.runId }]);
  upsertMemo({ steps: plan.training.steps, batchGroups: plan.training.batchGroups });
  setHandler(trainProgress, () => progressOf(state));
  return {
    shouldContinueAsNew: () =>
      workflowInfo().continueAsNewSuggested || workflowInfo().historyLength > plan.historyEvents,
    continueAsNew: async (): Promise<never> => {
      await condition(allHandlersFinished);
      return next(input, state);
    },
  };
}

function progressOf(state: TrainState): TrainProgress {
  const { plan, last } = state;
  const mean = state.stepMs.reduce((sum, ms) => sum + ms, 0) / Math.max(1, state.stepMs.length);
  return {
    runId: plan.runId,
    phase: state.paused ? 'paused' : state.phase,
    step: state.step,
    steps: lastStep(state),
    version: state.step,
    running: state.open.length,
    buffered: state.ready.length + state.training.length,
    trained: state.trained,
    filtered: state.filtered,
    failed: state.failed,
    expired: state.expired,
    rewardMean: last?.rewardMean ?? null,
    scoreMean: last?.scoreMean ?? null,
    idleShare: last?.idleShare ?? null,
    staleness: last?.staleness ?? null,
    dev: state.dev,
    host: state.lease?.host ?? null,
    etaSeconds:
      state.stepMs.length === 0
        ? null
        : Math.round((mean * Math.max(0, lastStep(state) - state.step)) / 1000),
    note: state.note,
  };
}
