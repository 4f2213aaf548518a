import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { ModelActivities } from '../activities/model/turn.ts';
import type { RunActivities } from '../activities/run/activities.ts';
import type { ToolActivities } from '../activities/search/tools.ts';
import type { Plan, RetryPlan } from '../domain/agents/plan.ts';

/**
 * The only place with timeouts and retries. Every policy is bounded. Which failures are permanent is decided where
 * they are thrown (`activities/provider-errors.ts`), and a provider's Retry-After travels with the failure.
 */
const retryOf = (retry: RetryPlan) => ({
  maximumAttempts: retry.attempts,
  initialInterval: retry.firstSeconds * 1000,
  maximumInterval: retry.maxSeconds * 1000,
  backoffCoefficient: 2,
});

/** A worker that dies is noticed within this time; the interceptor of `workers/heartbeat.ts` beats three times in it. */
const HEARTBEAT = '15 seconds';

const quick = {
  startToCloseTimeout: '30 seconds',
  retry: { maximumAttempts: 5, initialInterval: 200 },
} as const;

/** Store look-ups and pure work of milliseconds: no dispatch. */
export const local = proxyLocalActivities<RunActivities>(quick);

/** Work of seconds on our own worker: evidence for a whole table. */
export const own = proxyActivities<RunActivities>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: HEARTBEAT,
  retry: { maximumAttempts: 5 },
});

/** Model calls: slow, paid, perhaps on a queue with a rate. */
export const modelOf = (plan: Plan) =>
  proxyActivities<ModelActivities>({
    ...(plan.queues.model === null ? {} : { taskQueue: plan.queues.model }),
    startToCloseTimeout: (plan.callSeconds + 30) * 1000,
    scheduleToCloseTimeout: '6 hours',
    heartbeatTimeout: HEARTBEAT,
    retry: retryOf(plan.retry.model),
  });

/** Search and pages: on their queue, or as local activities where a dispatch would cost more than the call. */
export const toolsOf = (plan: Plan) =>
  plan.queues.search === null
    ? proxyLocalActivities<ToolActivities>({
        startToCloseTimeout: '1 minute',
        retry: retryOf(plan.retry.tools),
      })
    : proxyActivities<ToolActivities>({
        taskQueue: plan.queues.search,
        startToCloseTimeout: '5 minutes',
        scheduleToCloseTimeout: '2 hours',
        heartbeatTimeout: HEARTBEAT,
        retry: retryOf(plan.retry.tools),
      });
