import {
  ApplicationFailure,
  condition,
  defineQuery,
  defineUpdate,
  proxyActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { TrainInput } from '../../../activities/trainer/plan.ts';
import type { FakeActivities } from './fake-worker.ts';

const { make } = proxyActivities<FakeActivities>({
  startToCloseTimeout: '60 seconds',
  retry: { maximumAttempts: 1 },
});

const names = (): { runId: string; workflowId: string } => {
  const { workflowId } = workflowInfo();
  return { runId: workflowId.replace('/', '-'), workflowId };
};

/**
 * Stands in for a training of `steps` steps. 13 fails unless it is resumed, 50 waits for orders: `stop` ends it.
 */
export async function train({ set = {}, resume }: TrainInput) {
  const { runId, workflowId } = names();
  const steps = Number(set['steps'] ?? 2);
  const init = set['engine.init'] ?? null;
  const note = `init ${String(init)}`;
  let [phase, stopAfter] = ['rollouts', 0];
  setHandler(defineQuery('progress'), () => ({
    ...{ runId, phase, step: 1, steps, version: 1, running: 2, buffered: 1, trained: 1, filtered: 0 },
    ...{ failed: 0, expired: 0, rewardMean: 0.5, scoreMean: 0.4, idleShare: 0.1, staleness: 0, dev: null },
    ...{ host: 'a', etaSeconds: 10, note },
  }));
  setHandler(defineUpdate('pause'), () => {
    phase = 'paused';
    return 'paused after step 1; 2 groups finish';
  });
  setHandler(defineUpdate('resume'), () => {
    phase = 'rollouts';
    return 'goes on';
  });
  setHandler(defineUpdate<string, [number | null]>('setLearningRate'), (rate) => `rate ${String(rate)}`);
  setHandler(defineUpdate<string, [number?]>('stopAfterStep'), (step) => {
    stopAfter = step ?? 1;
    return `ends after step ${stopAfter}`;
  });
  if (steps === 13 && !resume) {
    await make(runId, workflowId, 1, 'failed');
    throw ApplicationFailure.nonRetryable('20 groups in a row taught nothing', 'NoSignal');
  }
  await make(runId, workflowId, steps === 50 ? 1 : steps, steps === 50 ? 'running' : 'ok');
  if (steps === 50) await condition(() => stopAfter > 0);
  const counts = { trained: 4, filtered: 1, failed: 0, expired: 0 };
  const reason = steps === 50 ? 'stopped' : 'steps';
  return { runId, steps: steps === 50 ? stopAfter : steps, reason, ...counts, dev: null };
}

export async function sft({ set = {} }: TrainInput) {
  const { runId, workflowId } = names();
  const step = Number(set['steps'] ?? 2);
  setHandler(defineQuery('progress'), () => ({ runId, step: 1, steps: step, loss: 1.5 }));
  await make(runId, workflowId, step, 'ok');
  return { runId, step, loss: 0.25, checkpoint: `tinker://m/weights/${runId}`, snapshot: 'tinker://m/v1' };
}

export async function rollout() {
  const { runId, workflowId } = names();
  const done = { runId, groups: 3, done: 3, running: 0, scored: 24, failed: 0 };
  setHandler(defineQuery('progress'), () => done);
  await make(runId, workflowId, 0, 'ok');
  return done;
}
