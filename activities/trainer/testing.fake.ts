import type { Group, Rollout, Turn } from '../../domain/rl/types.ts';
import type { Store } from '../store/port.ts';
import { type GroupDocument, groupsOf, type RolloutFacts } from './records.ts';
import { putRollout } from './rollout-codec.ts';

/** A turn of the lead with four tokens of the fake engine's vocabulary. */
export const turnWith = (change: Partial<Turn> = {}): Turn => {
  const responseTokens = change.responseTokens ?? Int32Array.of(10, 11);
  return {
    ...{ id: 't0', agentId: 0, turnIdx: 0, role: 'lead', promptTokens: Int32Array.of(4, 5), responseTokens },
    logprobs: new Float32Array(responseTokens.length).fill(-4),
    versions: new Int32Array(responseTokens.length),
    ...{ searchCalls: 0, accessCalls: 0, hitLimit: false, repeats: false },
    ...change,
  };
};

/** A scored rollout of two turns that continue each other; its tokens depend on `sample`. */
export function rolloutWith(id: string, sample: number, reward: number): Rollout {
  const first = turnWith({ id: `${id}/0`, responseTokens: Int32Array.of(10 + sample, 11) });
  const promptTokens = Int32Array.of(...first.promptTokens, ...first.responseTokens, 20);
  const responseTokens = Int32Array.of(30 + sample, 3);
  const second = turnWith({ id: `${id}/1`, turnIdx: 1, promptTokens, responseTokens });
  const trainable = [first.id, second.id];
  return {
    ...{ id, sample, agentsStarted: 1, turns: [first, second] },
    outcome: { kind: 'scored', reward, rule: 'A1', trainable, finalAnswerFormat: 1 },
  };
}

/** A group of such rollouts, one for each reward. */
export const groupWith = (id: string, rewards: readonly number[]): Group => ({
  ...{ id, questionId: `q-${id}` },
  rollouts: rewards.map((reward, sample) => rolloutWith(`${id}/${sample}`, sample, reward)),
});

/** The group with the log-probs that `logprobs` gives all but the first token of each turn, as its sampler would have. */
export async function sampledBy(
  group: Group,
  logprobs: (tokens: Int32Array) => Promise<Float32Array>,
): Promise<Group> {
  const turnBy = async (turn: Turn): Promise<Turn> => {
    const whole = Int32Array.of(...turn.promptTokens, ...turn.responseTokens);
    return { ...turn, logprobs: (await logprobs(whole)).slice(turn.promptTokens.length - 1) };
  };
  const rollouts = await Promise.all(
    group.rollouts.map(async (one) => ({ ...one, turns: await Promise.all(one.turns.map(turnBy)) })),
  );
  return { ...group, rollouts };
}

/** What is recorded of a scored rollout. */
export const factsWith = (change: Partial<RolloutFacts> = {}): RolloutFacts => ({
  ...{ sample: 0, ref: null, kind: 'scored', reason: '', reward: 1, score: 1, rule: 'A1', format: 1 },
  ...{ stopReason: 'answered', agents: 1, turns: 2, leadTurns: 2, subtasks: 0, searches: 0, accesses: 0 },
  ...{ promptTokens: 7, responseTokens: 4, maxPrompt: 5, maxResponse: 2, maxTotal: 7, versions: [0, 0] },
  ...change,
});

/** Stores a group with its tokens, ready to be trained on. */
export async function storeGroup(
  store: Store,
  run: string,
  group: Group,
  change: Partial<GroupDocument> = {},
): Promise<void> {
  const rollouts = await Promise.all(
    group.rollouts.map(async (rollout) =>
      factsWith({
        ...{ sample: rollout.sample, ref: await putRollout(store, rollout) },
        reward: rollout.outcome.kind === 'scored' ? rollout.outcome.reward : null,
      }),
    ),
  );
  const document: GroupDocument = {
    ...{ id: group.id, questionId: group.questionId, admittedAt: 0, closed: 'complete' },
    ...{ fate: { kind: 'ready' }, excluded: [], rollouts },
    ...change,
  };
  await store.documents.put(groupsOf(run), group.id, document);
}
