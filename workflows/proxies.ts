import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { CorpusActivities } from '../activities/corpus/activities.ts';
import type { EvaluateActivities } from '../activities/evaluate/activities.ts';
import type { JudgeActivities } from '../activities/judge/activities.ts';
import type { ModelActivities } from '../activities/model/turn.ts';
import type { RunActivities } from '../activities/run/activities.ts';
import type { SummaryActivities } from '../activities/search/summary.ts';
import type { ToolActivities } from '../activities/search/tools.ts';
import type { GroupActivities } from '../activities/trainer/group.ts';
import type { TrainPlan } from '../activities/trainer/plan.ts';
import type { TrainRunActivities } from '../activities/trainer/run.ts';
import type { SftActivities } from '../activities/trainer/sft.ts';
import type { TrainerActivities } from '../activities/trainer/step.ts';
import type { AgentRole } from '../domain/agents/messages.ts';
import type { Plan, RetryPlan } from '../domain/agents/plan.ts';
import type { EvaluationPlan } from '../domain/scoring/evaluation-plan.ts';

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

/** Work of seconds on our own worker, evidence for a whole table; of milliseconds where a run is one of thousands. */
export const concluding = ({ leadInProcess }: Plan) =>
  leadInProcess
    ? proxyLocalActivities<RunActivities>({ ...quick, startToCloseTimeout: '10 minutes' })
    : proxyActivities<RunActivities>({
        startToCloseTimeout: '10 minutes',
        heartbeatTimeout: HEARTBEAT,
        retry: { maximumAttempts: 5 },
      });

/**
 * Model calls: slow, paid, perhaps on a queue with a rate. Only an agent whose model is at hand takes its turns as
 * local activities: a dispatch costs the server more than such a call, and the journal keeps what was said. A lead or
 * single agent only where no person steers and watches it, between two events of its history.
 */
export const modelOf = (plan: Plan, role: AgentRole) => {
  const startToCloseTimeout = (plan.callSeconds + 30) * 1000;
  const retry = retryOf(plan.retry.model);
  const own = plan.queues.roles?.[role];
  const taskQueue = own === undefined ? plan.queues.model : own;
  const inProcess = role === 'subagent' ? plan.modelInProcess : plan.leadInProcess;
  return inProcess && taskQueue === null
    ? proxyLocalActivities<ModelActivities>({ startToCloseTimeout, retry })
    : proxyActivities<ModelActivities>({
        ...(taskQueue === null ? {} : { taskQueue }),
        startToCloseTimeout,
        scheduleToCloseTimeout: '6 hours',
        heartbeatTimeout: HEARTBEAT,
        retry,
      });
};

/** Search and pages: each on its queue, or as local activities where a dispatch would cost more than the call. */
export const toolsOf = (plan: Plan, kind: 'search' | 'pages') => {
  // Plans of earlier versions have one queue for both.
  const taskQueue = plan.queues[kind] === undefined ? plan.queues.search : plan.queues[kind];
  const retry = retryOf(plan.retry.tools);
  return taskQueue === null
    ? proxyLocalActivities<ToolActivities>({ startToCloseTimeout: '1 minute', retry })
    : proxyActivities<ToolActivities>({
        taskQueue,
        startToCloseTimeout: '5 minutes',
        scheduleToCloseTimeout: '2 hours',
        heartbeatTimeout: HEARTBEAT,
        retry,
      });
};

/** Attempts at a summary: the page's own text is at hand, so a model in trouble is not waited for as long as an agent's. */
export const summaryAttempts = (plan: Plan): number => Math.min(3, plan.retry.model.attempts);

/** Summaries of pages: a model call each, on the queue of the summariser's endpoint, longer than that call's own deadline. */
export const summariserOf = (plan: Plan, { queue, seconds }: NonNullable<Plan['summary']>) => {
  const startToCloseTimeout = (seconds + 30) * 1000;
  const retry = { ...retryOf(plan.retry.model), maximumAttempts: summaryAttempts(plan) };
  return queue === null
    ? proxyLocalActivities<SummaryActivities>({ startToCloseTimeout, retry })
    : proxyActivities<SummaryActivities>({
        taskQueue: queue,
        startToCloseTimeout,
        scheduleToCloseTimeout: '2 hours',
        heartbeatTimeout: HEARTBEAT,
        retry,
      });
};

/** Reading a data set, storing samples, aggregating: seconds on our own worker. */
export const evaluation = proxyActivities<EvaluateActivities>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: HEARTBEAT,
  retry: { maximumAttempts: 5 },
});

/** Judge calls: on their queue. The activity itself gives up as `unscored` before its attempts run out. */
export const judgeOf = (plan: EvaluationPlan) =>
  proxyActivities<JudgeActivities>({
    taskQueue: plan.judgeQueue ?? 'judge',
    startToCloseTimeout: '1 hour',
    heartbeatTimeout: HEARTBEAT,
    retry: {
      maximumAttempts: plan.judgeAttempts + 3,
      initialInterval: '2 seconds',
      maximumInterval: '2 minutes',
    },
  });

/** Groups of rollouts: look-ups and records of milliseconds. */
export const groupStore = proxyLocalActivities<GroupActivities>(quick);

/** Tokens and reward of one rollout. The activity turns an unreachable judge into `unscored` by itself. */
export const scoring = (plan: TrainPlan) =>
  plan.judged
    ? proxyActivities<GroupActivities>({
        taskQueue: 'judge',
        startToCloseTimeout: '1 hour',
        heartbeatTimeout: HEARTBEAT,
        retry: { maximumAttempts: 5, initialInterval: '1 second' },
      })
    : proxyLocalActivities<GroupActivities>({
        startToCloseTimeout: '2 minutes',
        retry: { maximumAttempts: 5, initialInterval: '200 ms' },
      });

/** Reading the questions of a training; seconds on our own worker. */
export const trainPlanning = proxyActivities<TrainRunActivities>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: HEARTBEAT,
  retry: { maximumAttempts: 5 },
});
/** What stands between two steps: records in the store. */
export const trainStore = proxyLocalActivities<TrainRunActivities>(quick);

/** Reading a file of token sequences. */
export const sftPlanning = proxyActivities<SftActivities>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: HEARTBEAT,
  retry: { maximumAttempts: 5 },
});

/** Waits, bounded, until some trainer's host is free. */
export const trainers = proxyActivities<TrainerActivities>({
  taskQueue: 'train',
  startToCloseTimeout: '1 minute',
  scheduleToCloseTimeout: '7 days',
  retry: { initialInterval: '500 ms', maximumInterval: '30 seconds', maximumAttempts: 30_000 },
});

/** One host's own queue. Nobody serves the queue of a dead host: then the call fails and another host is asked. */
const onHost = (queue: string, times: HostTimes) => ({
  taskQueue: queue,
  startToCloseTimeout: times.stepMinutes * 60_000,
  scheduleToStartTimeout: times.hostSeconds * 1000,
  heartbeatTimeout: times.heartbeatSeconds * 1000,
  retry: { maximumAttempts: 40, initialInterval: '500 ms', maximumInterval: '1 minute' } as const,
});
export interface HostTimes {
  heartbeatSeconds: number;
  hostSeconds: number;
  stepMinutes: number;
}
export const trainerOn = (queue: string, times: HostTimes) =>
  proxyActivities<TrainerActivities>(onHost(queue, times));
export const sftOn = (queue: string, times: HostTimes) =>
  proxyActivities<SftActivities>(onHost(queue, times));

/** Reading a corpus configuration; only a broken disk makes it fail twice. */
export const corpus = proxyActivities<CorpusActivities>({
  startToCloseTimeout: '1 minute',
  retry: { maximumAttempts: 3, initialInterval: '1 second' },
});

/** Encodes a handful of passages; the first call may download the encoder. */
export const corpusProbe = proxyActivities<CorpusActivities>({
  startToCloseTimeout: '15 minutes',
  heartbeatTimeout: '1 minute',
  retry: { maximumAttempts: 3, initialInterval: '2 seconds' },
});

/** Days for a Wikipedia; each attempt goes on at the last checkpoint, so attempts are cheap. */
export const corpusBuild = proxyActivities<CorpusActivities>({
  startToCloseTimeout: '14 days',
  heartbeatTimeout: '1 minute',
  retry: { maximumAttempts: 20, initialInterval: '2 seconds', maximumInterval: '5 minutes' },
});
