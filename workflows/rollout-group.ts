import {
  CancellationScope,
  ChildWorkflowCancellationType,
  ChildWorkflowFailure,
  condition,
  defineSignal,
  executeChild,
  getExternalWorkflowHandle,
  isCancellation,
  ParentClosePolicy,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { GroupInput, GroupReport, OpenedGroup } from '../activities/trainer/group.ts';
import type { RolloutFacts } from '../activities/trainer/records.ts';
import { runIdOf } from '../domain/ids.ts';
import { closeGroup, type GroupDecision, type SampleState } from '../domain/rl/group-close.ts';
import { describe } from './agent.ts';
import { groupStore, scoring } from './proxies.ts';
import type { seek } from './seek.ts';

/** A group tells its training, whichever run of the workflow is the current one, that it has closed. */
export const groupClosed = defineSignal<[GroupReport]>('groupClosed');

/** As evaluations: interactive questions go first. */
const PRIORITY = 4;
/** What another attempt would meet again. */
const PERMANENT = /^(InvalidInput|ConfigError|NotFound|Unauthorized|BadRequest)\b/;
/** Ends that say nothing about the answerer. */
const OUTAGES: ReadonlySet<string> = new Set(['model_outage', 'tool_outage', 'cancelled']);
const RETRY_MS = { first: 1_000, most: 60_000 };

interface Sample {
  state: SampleState;
  facts: RolloutFacts | null;
  rollouts: number;
  judgings: number;
  answer: { runId: string; resultRef: string } | null;
}

/**
 * All rollouts of one question, at once (wideseek 4.1). What breaks is tried again, an answer that could not be judged is
 * only judged again; the group closes with what it has at its deadline. Its tokens are in the store, its report is small.
 */
export async function rolloutGroup(input: GroupInput): Promise<GroupReport> {
  const { plan } = input;
  const opened = await groupStore.openGroup(input);
  const samples = Array.from({ length: input.samples }, (): Sample => ({
    state: { kind: 'running' },
    facts: null,
    rollouts: 0,
    judgings: 0,
    answer: null,
  }));
  const policy = {
    maxAttempts: plan.attempts,
    minScored: input.use === 'keep' ? 0 : plan.minScored,
    filter: plan.filter,
  };
  const decide = (deadlinePassed: boolean): GroupDecision =>
    closeGroup(
      samples.map(({ state }) => state),
      policy,
      { deadlinePassed },
    );

  let decision = decide(false);
  try {
    await CancellationScope.withTimeout(plan.groupMinutes * 60_000, async () => {
      let changes = 0;
      const begin = (index: number, what: 'rollout' | 'judging'): void => {
        const sample = samples[index]!;
        sample.state = { kind: 'running' };
        void attempt(input, opened, sample, index, what).then(
          () => void (changes += 1),
          // Only a cancellation comes here, and it ends the scope as well.
          () => undefined,
        );
      };
      samples.forEach((_, index) => begin(index, 'rollout'));
      while ((decision = decide(false)).kind !== 'close') {
        const seen = changes;
        if (decision.kind === 'retry') decision.retries.forEach(({ sample, what }) => begin(sample, what));
        else await condition(() => changes !== seen);
      }
    });
  } catch (error) {
    if (!isCancellation(error)) throw error;
    decision = decide(true);
  }
  return CancellationScope.nonCancellable(() => finish(input, opened, samples, decision));
}

/** One attempt at a rollout, or at judging it again. Leaves the sample in a state that is not `running`. */
async function attempt(
  input: GroupInput,
  opened: OpenedGroup,
  sample: Sample,
  index: number,
  what: 'rollout' | 'judging',
): Promise<void> {
  const before = what === 'rollout' ? sample.rollouts : sample.judgings;
  if (before > 0) await sleep(Math.min(RETRY_MS.most, RETRY_MS.first * 2 ** (before - 1)));
  if (what === 'rollout') {
    sample.rollouts += 1;
    sample.judgings = 0;
    const failure = await answer(input, opened, sample, index);
    if (failure !== null) {
      const permanent = PERMANENT.test(failure);
      sample.state = { kind: 'failed', reason: failure, attempts: sample.rollouts, permanent };
      return;
    }
  }
  sample.judgings += 1;
  try {
    sample.facts = await scoring(input.plan).finishRollout({
      ...{ plan: input.plan, questionRef: opened.questionRef, sample: index },
      ...sample.answer!,
    });
    const { kind, reward, reason } = sample.facts;
    sample.state =
      kind === 'scored'
        ? { kind, reward: reward ?? 0 }
        : { kind: 'unscored', reason, attempts: sample.judgings };
  } catch (error) {
    if (isCancellation(error)) throw error;
    sample.state = { kind: 'unscored', reason: describe(error), attempts: sample.judgings };
  }
}

/** Runs the agents. Returns why there is no answer, or null. A second attempt goes on where recorded replies end. */
async function answer(
  { plan, id }: GroupInput,
  { seek: start }: OpenedGroup,
  sample: Sample,
  index: number,
): Promise<string | null> {
  const workflowId = `${plan.workflowId}/${id}/${index}`;
  try {
    const conclusion = await executeChild<typeof seek>('seek', {
      workflowId,
      args: [start],
      parentClosePolicy: ParentClosePolicy.TERMINATE,
      cancellationType: ChildWorkflowCancellationType.TRY_CANCEL,
      priority: { priorityKey: PRIORITY, fairnessKey: plan.runId },
      staticSummary: start.question.slice(0, 200),
    });
    if (OUTAGES.has(conclusion.stopReason)) return conclusion.stopReason;
    sample.answer = { runId: runIdOf(workflowId), resultRef: conclusion.resultRef };
    return null;
  } catch (error) {
    if (isCancellation(error)) throw error;
    return describe(error instanceof ChildWorkflowFailure ? error.cause : error);
  }
}

async function finish(
  input: GroupInput,
  opened: OpenedGroup,
  samples: readonly Sample[],
  decision: GroupDecision,
): Promise<GroupReport> {
  if (decision.kind !== 'close') throw new Error('a group ends by closing');
  const { plan, id, admittedAt, use } = input;
  const report = await groupStore.recordGroup({
    group: { plan, id, admittedAt, use },
    questionId: opened.questionId,
    closed: decision.reason,
    unusable: decision.unusable,
    excluded: decision.excluded.map(({ sample, reason }) => ({ sample, reason: reason.slice(0, 300) })),
    rollouts: samples.map(({ facts, state }, sample) => facts ?? missing(sample, state)),
  });
  if (use === 'train' && workflowInfo().parent) {
    // A training that is closed finds the report in the store when it goes on.
    await getExternalWorkflowHandle(plan.workflowId)
      .signal(groupClosed, report)
      .catch(() => undefined);
  }
  return report;
}

/** A rollout without tokens. */
const missing = (sample: number, state: SampleState): RolloutFacts => ({
  ...{
    sample,
    ref: null,
    kind: 'failed',
    reason: 'reason' in state ? state.reason.slice(0, 300) : 'deadline',
  },
  ...{
    reward: null,
    score: null,
    rule: '',
    format: 0,
    stopReason: 'none',
    agents: 1,
    turns: 0,
    leadTurns: 0,
  },
  ...{
    subtasks: 0,
    searches: 0,
    accesses: 0,
    promptTokens: 0,
    responseTokens: 0,
    maxPrompt: 0,
    maxResponse: 0,
    maxTotal: 0,
  },
  versions: [0, 0],
});
