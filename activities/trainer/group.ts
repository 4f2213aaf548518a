import { Context } from '@temporalio/activity';
import type { Overrides } from '../../configs/load.ts';
import { invalidInput } from '../../domain/errors.ts';
import type { Excluded } from '../../domain/rl/group-close.ts';
import type { NoSignal } from '../../domain/rl/filter.ts';
import { walk } from '../../domain/rl/order.ts';
import type { Group } from '../../domain/rl/types.ts';
import { withTypedFailures } from '../failures.ts';
import type { Ref, Store } from '../store/port.ts';
import { settingsReader, type TrainPlan } from './plan.ts';
import type { PublishedPolicy } from './policy.ts';
import {
  type Fate,
  type GroupDocument,
  groupDocumentSchema,
  groupsOf,
  type RolloutFacts,
} from './records.ts';
import { getRollout } from './rollout-codec.ts';
import { type ScoreDeps, scoreRollout } from './score.ts';

export interface GroupInput {
  plan: TrainPlan;
  /** Unique in the run: `g00000012`, or `eval-00000010/g00000003`. */
  id: string;
  /** Training questions by their place in the endless walk, dev questions by their place in the set. */
  question: { set: 'train' | 'dev'; at: number };
  /** Policy version at admission. */
  admittedAt: number;
  samples: number;
  /** Null: the policy that is published when a turn is taken. Else these weights, whatever is published. */
  pinned: PublishedPolicy | null;
  temperature: number | null;
  /** Whether somebody waits for it as part of a batch. */
  use: 'train' | 'keep';
}

/** What a group's rollouts are started with. */
export interface OpenedGroup {
  questionId: string;
  questionRef: Ref;
  seek: { question: string; config: string; set: Overrides };
}

export interface FinishInput {
  plan: TrainPlan;
  questionRef: Ref;
  sample: number;
  runId: string;
  resultRef: Ref;
}

export interface RecordInput {
  group: Pick<GroupInput, 'plan' | 'id' | 'admittedAt' | 'use'>;
  questionId: string;
  closed: GroupDocument['closed'];
  unusable: NoSignal | null;
  excluded: Excluded[];
  rollouts: RolloutFacts[];
}

/** What the training learns of a group: a few hundred bytes, whatever the group holds. */
export interface GroupReport {
  id: string;
  usable: boolean;
  /** Why it cannot be trained on, or empty. */
  reason: string;
  scored: number;
  failed: number;
  rewardSum: number;
  scoreSum: number;
  tokens: number;
}

export interface GroupDeps extends ScoreDeps {
  store: Store;
  /**
   * Overrides that make an agents' run sample from the policy that a train run publishes, or from pinned weights, with
   * a seed that the agents' calls derive theirs from.
   */
  sampling: (run: string, pinned: PublishedPolicy | null, seed: number) => Overrides;
}

/** Activities of `rolloutGroup`. */
export function createGroupActivities(deps: GroupDeps) {
  const { store } = deps;
  const settingsOf = settingsReader(store);

  /** The question of a group and how its rollouts are started. */
  async function openGroup({ plan, question, pinned, temperature }: GroupInput): Promise<OpenedGroup> {
    const { config, questions, dev } = await settingsOf(plan.settingsRef);
    const set = question.set === 'train' ? questions : dev;
    const index = question.set === 'train' ? walk(set.length, config.data.seed)(question.at) : question.at;
    const one = set[index];
    if (!one)
      throw invalidInput('question', `there is no question ${question.at} in the ${question.set} set`);
    // A collection says itself whose policy it samples from; without one it takes what the agents' configuration names.
    const from = 'engine' in config ? plan.runId : config.from;
    return {
      questionId: one.id,
      questionRef: one.ref,
      seek: {
        question: one.text,
        config: config.policy.config,
        set: {
          answer: one.kind === 'table' ? 'table' : 'boxed',
          language: one.language,
          ...config.policy.set,
          ...(from === undefined ? {} : deps.sampling(from, pinned, config.seed)),
          ...(temperature === null ? {} : { 'models.default.temperature': temperature }),
        },
      },
    };
  }

  /** Collects, scores and stores one finished rollout: one activity, because there are thousands of them. */
  async function finishRollout(input: FinishInput): Promise<RolloutFacts> {
    const { config } = await settingsOf(input.plan.settingsRef);
    const { reward, judge } = config;
    return scoreRollout(
      deps,
      { ...input, trainRun: input.plan.runId, reward, judge },
      Context.current().cancellationSignal,
    );
  }

  /** Records how a group ended. Its fate is known unless a batch still has to take it. */
  async function recordGroup(input: RecordInput): Promise<GroupReport> {
    const { group, unusable, closed, rollouts, excluded } = input;
    const scored = rollouts.filter(({ kind }) => kind === 'scored');
    const fate = fateOf(input, scored.length);
    const document: GroupDocument = {
      id: group.id,
      questionId: input.questionId,
      admittedAt: group.admittedAt,
      ...{ closed, fate, excluded, rollouts },
    };
    await store.documents.put(groupsOf(group.plan.runId), group.id, document);
    const sum = (pick: (facts: RolloutFacts) => number): number =>
      rollouts.reduce((total, facts) => total + pick(facts), 0);
    return {
      id: group.id,
      usable: unusable === null,
      reason: fate.kind === 'filtered' || fate.kind === 'failed' ? fate.reason : '',
      scored: scored.length,
      failed: excluded.length,
      rewardSum: sum(({ reward }) => reward ?? 0),
      scoreSum: scored.reduce((total, { score }) => total + (score ?? 0), 0),
      tokens: sum(({ responseTokens }) => responseTokens),
    };
  }

  /** The report of a group that closed earlier; null while it is open, or lost. */
  async function groupReport(run: string, id: string): Promise<GroupReport | null> {
    const value = await store.documents.get(groupsOf(run), id);
    if (value === undefined) return null;
    const { fate, rollouts, excluded } = groupDocumentSchema.parse(value);
    const scored = rollouts.filter(({ kind }) => kind === 'scored');
    return {
      id,
      usable: fate.kind === 'ready',
      reason: 'reason' in fate ? fate.reason : '',
      scored: scored.length,
      failed: excluded.length,
      rewardSum: scored.reduce((total, { reward }) => total + (reward ?? 0), 0),
      scoreSum: scored.reduce((total, { score }) => total + (score ?? 0), 0),
      tokens: rollouts.reduce((total, { responseTokens }) => total + responseTokens, 0),
    };
  }

  return {
    openGroup: withTypedFailures('configuration', openGroup),
    finishRollout: withTypedFailures('judge', finishRollout),
    recordGroup: withTypedFailures('store', recordGroup),
    groupReport: withTypedFailures('store', groupReport),
  };
}
export type GroupActivities = ReturnType<typeof createGroupActivities>;

function fateOf({ group, unusable, closed, excluded }: RecordInput, scored: number): Fate {
  if (group.use === 'keep') return { kind: 'kept' };
  if (unusable === null) return { kind: 'ready' };
  // Too few scores because something broke is a failure; equal rewards are what the policy did.
  if (unusable !== 'too_few_scored') return { kind: 'filtered', reason: unusable };
  const reasons = [...new Set(excluded.map(({ reason }) => reason))].join('; ').slice(0, 500);
  return { kind: 'failed', reason: reasons || `${closed}: ${scored} scored` };
}

/** A closed group with its tokens; rollouts that left none are in it without turns. */
export async function loadGroup(store: Store, run: string, id: string): Promise<Group> {
  const document = groupDocumentSchema.parse(await store.documents.get(groupsOf(run), id));
  const rollouts = await Promise.all(
    document.rollouts.map(async ({ ref, sample, kind, reason }) =>
      ref === null
        ? {
            ...{ id: `${id}/${sample}`, sample, agentsStarted: 1, turns: [] },
            outcome: { kind: kind === 'unscored' ? kind : ('failed' as const), reason },
          }
        : getRollout(store, ref),
    ),
  );
  return { id, questionId: document.questionId, rollouts };
}

/** Writes a group's fate. Idempotent. */
export async function setFate(store: Store, run: string, id: string, fate: Fate): Promise<void> {
  const document = groupDocumentSchema.parse(await store.documents.get(groupsOf(run), id));
  await store.documents.put(groupsOf(run), id, { ...document, fate });
}
