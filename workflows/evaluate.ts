import {
  ApplicationFailure,
  CancellationScope,
  condition,
  executeChild,
  isCancellation,
  ParentClosePolicy,
  workflowInfo,
} from '@temporalio/workflow';
import type { ItemOutcome } from '../activities/evaluate/activities.ts';
import { runIdOf } from '../domain/ids.ts';
import type { EvaluateInput, EvaluationItem, EvaluationPlan } from '../domain/scoring/evaluation-plan.ts';
import type { EvaluationOutcome } from '../domain/scoring/samples.ts';
import { describe } from './agent.ts';
import { describeEvaluation, type EvaluateState, freshState, serveEvaluation } from './evaluate-state.ts';
import { evaluation, judgeOf } from './proxies.ts';
import type { seek } from './seek.ts';

/** Items that one look-up brings: bounds the bytes of a history event. */
const PAGE = 50;
/** Interactive questions are 3 by default; evaluations give way to them. */
const PRIORITY = 4;

/**
 * Answers and scores every question of a data set, `samples` times, `concurrency` at once. Each sample is stored as
 * soon as it is known, so a run that was stopped, or that has unscored samples, goes on with `resume`. With a gate it
 * fails where this run is worse than the last good one, or incomplete, so that the UI's list shows it.
 */
export async function evaluate(input: EvaluateInput, resumed?: EvaluateState): Promise<EvaluationOutcome> {
  const state = resumed ?? freshState();
  const { shouldContinueAsNew, continueAsNew } = serveEvaluation(state, input);
  const { workflowId } = workflowInfo();
  const plan = (state.plan ??= await evaluation.prepareEvaluation(input, runIdOf(workflowId), workflowId));
  describeEvaluation(plan);
  const running = new Set<Promise<void>>();
  const failures: unknown[] = [];

  while (state.next < plan.total && failures.length === 0 && !shouldContinueAsNew()) {
    const items = await evaluation.nextItems(plan, state.next, PAGE);
    const looked = Math.min(PAGE, plan.total - state.next);
    state.skipped += looked - items.length;
    for (const item of items) {
      await condition(() => !state.paused && running.size < plan.concurrency);
      const work = runItem(state, plan, item)
        .catch((error: unknown) => void failures.push(error))
        .finally(() => {
          running.delete(work);
          state.running = running.size;
        });
      running.add(work);
      state.running = running.size;
    }
    state.next += looked;
  }
  // Nothing is left running across continue-as-new, so that nobody has to be found again.
  await Promise.all(running);
  if (failures.length > 0) throw failures[0];
  if (state.next < plan.total) return await continueAsNew();

  const outcome = await evaluation.summarise(plan);
  if (plan.gate === null) return outcome;
  const { verdict, detail, notification } = await evaluation.gate(plan, outcome);
  if (verdict === 'good') return outcome;
  const type = verdict === 'regression' ? 'Regression' : 'Incomplete';
  throw ApplicationFailure.nonRetryable(notification ? `${detail} (${notification})` : detail, type, outcome);
}

/** One sample: answer it unless that was done before, score it, store it. An outage leaves it unscored. */
async function runItem(state: EvaluateState, plan: EvaluationPlan, item: EvaluationItem): Promise<void> {
  const outcome: ItemOutcome = {
    resultRef: item.resultRef,
    stopReason: null,
    wallMs: 0,
    score: null,
    reason: '',
  };
  if (outcome.resultRef === null) await answer(plan, item, outcome);
  if (outcome.reason === '') {
    try {
      const scoring = await evaluation.scoringOf(plan, item.questionRef, outcome.resultRef);
      outcome.score = await judgeOf(plan).scoreSample.executeWithOptions({ summary: item.questionId }, [
        scoring,
      ]);
    } catch (error) {
      if (isCancellation(error)) throw error;
      outcome.reason = describe(error);
    }
  }
  await CancellationScope.nonCancellable(() => evaluation.recordSample(plan, item, outcome));
  const scores = outcome.score?.scores;
  if (scores) {
    state.scored += 1;
    for (const [name, value] of Object.entries(scores)) state.sums[name] = (state.sums[name] ?? 0) + value;
  } else state.unscored += 1;
}

async function answer(plan: EvaluationPlan, item: EvaluationItem, outcome: ItemOutcome): Promise<void> {
  const startedAt = Date.now();
  try {
    const conclusion = await executeChild<typeof seek>('seek', {
      workflowId: `${plan.workflowId}/${item.questionId}/${item.sample}`,
      args: [{ question: item.question, config: item.config, set: item.set }],
      parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
      priority: { priorityKey: PRIORITY, fairnessKey: plan.runId },
      staticSummary: item.question.slice(0, 200),
    });
    outcome.resultRef = conclusion.resultRef;
    outcome.stopReason = conclusion.stopReason;
  } catch (error) {
    if (isCancellation(error)) throw error;
    outcome.reason = describe(error);
  }
  outcome.wallMs = Date.now() - startedAt;
}
