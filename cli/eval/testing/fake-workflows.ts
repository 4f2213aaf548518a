import {
  condition,
  defineQuery,
  defineUpdate,
  proxyActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { ApplicationFailure } from '@temporalio/workflow';
import type { EvaluateInput } from '../../../domain/scoring/evaluation-plan.ts';
import type { FakeActivities } from './fake-worker.ts';

const activities = proxyActivities<FakeActivities>({
  startToCloseTimeout: '60 seconds',
  retry: { maximumAttempts: 1 },
});

/**
 * Stands in for the engine. `limit` says how it goes: 7 leaves samples unscored until it is resumed, 8 fails, 9 waits to be
 * cancelled.
 */
export async function evaluate(input: EvaluateInput) {
  const runId = workflowInfo().workflowId.replace('eval/', '');
  const samples = Number(input.set?.['samples'] ?? 2);
  let paused = false;
  const total = (input.limit ?? 3) * samples;
  setHandler(defineQuery('progress'), () => ({
    ...{ runId, done: 1, total, running: 2, scored: 1, unscored: 0, paused, meanScore: { f1_by_item: 0.5 } },
  }));
  setHandler(defineUpdate('pause'), () => {
    paused = true;
    return 'paused; 2 questions finish';
  });
  setHandler(defineUpdate('unpause'), () => {
    paused = false;
    return 'goes on';
  });
  if (input.limit === 8) throw ApplicationFailure.nonRetryable('no such data set', 'InvalidInput');
  const outcome = await activities.make(runId, input);
  if (input.limit === 9) await condition(() => false);
  if (input.gate && !outcome.complete)
    throw ApplicationFailure.nonRetryable('samples are missing', 'Incomplete', outcome);
  return outcome;
}
