import {
  CancellationScope,
  condition,
  defineQuery,
  isCancellation,
  proxyActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { Progress } from '../../domain/run.ts';
import type { FakeActivities } from './fake-worker.ts';

const activities = proxyActivities<FakeActivities>({
  startToCloseTimeout: '30 seconds',
  retry: { maximumAttempts: 1 },
});

const progressOf = (runId: string, task: string): Progress => ({
  runId,
  phase: 'delegating',
  turn: 2,
  maxTurns: 9,
  agents: [
    { id: 'lead', role: 'lead', task: '', state: 'waiting', turns: 2 },
    { id: 'sub-1', role: 'subagent', task, state: 'searching', turns: 1 },
  ],
  usage: { promptTokens: 0, completionTokens: 0, modelCalls: 1, searches: 1, pagesRead: 0, microUsd: 0 },
  rowsSoFar: 0,
  notes: ['one source is slow'],
});

/** Stands in for the engine. The question says how it goes: `hang` waits to be cancelled, `fragile` may fail. */
export async function seek({ question }: { question: string }) {
  const runId = workflowInfo().workflowId.replace('seek/', '');
  await activities.begin(runId, question);
  // Only now: whoever sees it may kill the worker or cancel.
  setHandler(defineQuery('progress'), () => progressOf(runId, question));
  if (question.includes('fragile')) await activities.mayFail();
  if (!question.includes('hang')) return activities.conclude(runId, question, 'answered');
  try {
    await condition(() => false);
  } catch (error) {
    if (!isCancellation(error)) throw error;
  }
  return CancellationScope.nonCancellable(() => activities.conclude(runId, question, 'cancelled'));
}

export async function indexCorpus({ config }: { config: string }) {
  setHandler(defineQuery('indexState'), () => ({ phase: 'building', estimate: { passages: 3, seconds: 1 } }));
  return activities.buildIndex(config);
}
