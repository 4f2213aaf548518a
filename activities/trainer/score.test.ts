import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { judgeSchema } from '../../configs/judge-schema.ts';
import { trainConfigSchema } from '../../configs/train-schema.ts';
import type { SeekResult } from '../../domain/run.ts';
import type { EvalQuestion } from '../datasets/question.ts';
import { createFakeJudge } from '../judge/judge.fake.ts';
import { capitalQuestion, markdown, resultWith, townQuestion } from '../judge/testing.fake.ts';
import type { ChatModel } from '../model/port.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/port.ts';
import { getRollout } from './rollout-codec.ts';
import { factsOf, type ScoreDeps, scoreRollout } from './score.ts';
import { rolloutWith, turnWith } from './testing.fake.ts';

const signal = new AbortController().signal;
const { reward: rewardSchema } = trainConfigSchema.shape;
type Reward = Parameters<typeof rewardSchema.parse>[0];

let store: Store;
beforeEach(async () => void (store = await openStore(':memory:')));
afterEach(() => store.close());

interface Case {
  question: EvalQuestion;
  result: Partial<SeekResult>;
  reward?: Reward;
  judge?: ChatModel | null;
  collect?: ScoreDeps['collect'];
}

async function score({ question, result, reward = {}, judge = null, collect }: Case) {
  const { outcome: _outcome, ...tokens } = rolloutWith('run', 2, 0);
  const config = judgeSchema.parse({ provider: judge === null ? 'none' : 'policy', missing: 'unscored' });
  return scoreRollout(
    { store, collect: collect ?? (() => Promise.resolve(tokens)), judge: () => judge },
    {
      ...{ trainRun: 'r', sample: 2, runId: 'run', reward: rewardSchema.parse(reward), judge: config },
      questionRef: await store.put(JSON.stringify(question)),
      resultRef: await store.put(JSON.stringify(resultWith(result))),
    },
    signal,
  );
}

const towns = (...rows: [string, string][]): Case => ({
  question: townQuestion(),
  result: { answer: markdown(rows) },
  judge: createFakeJudge(),
});

describe('the reward of a rollout', () => {
  test('is the item F1 of its table, with the published extras', async () => {
    const half = await score(towns(['Bern', 'old'], ['Rome', 'old']));
    expect(half).toMatchObject({ kind: 'scored', score: 0.5, rule: 'A1', format: 1, sample: 2 });
    expect(half.reward).toBeCloseTo(0.6, 10);
    expect((await score(towns(['Bern', 'old'], ['Thun', 'new']))).score).toBe(1);
    const byRow = await score({ ...towns(['Bern', 'old'], ['Thun', 'old']), reward: { table: 'f1_by_row' } });
    expect(byRow.score).toBe(0.5);
  });

  test('of a single answer is counted without asking a judge where words are enough', async () => {
    const judge = createFakeJudge();
    const right = { question: capitalQuestion, result: { answer: 'Fort-Lamy' }, judge };
    const facts = await score({ ...right, reward: { single: 'em', formatReward: 0 } });
    expect(facts).toMatchObject({ kind: 'scored', score: 1, reward: 1 });
    expect(judge.requests).toEqual([]);
    const wrong = await score({ ...right, result: { answer: 'Lagos' }, reward: { single: 'em' } });
    expect(wrong).toMatchObject({ kind: 'scored', score: 0 });
  });

  test('is 0 for a run that gave no answer, whatever was put together from reports', async () => {
    const facts = await score({
      question: townQuestion(),
      result: { status: 'partial', stopReason: 'turn_limit', answer: markdown([['Bern', 'old']]) },
    });
    expect(facts).toMatchObject({ kind: 'scored', reward: 0, score: 0, format: 0, stopReason: 'turn_limit' });
    expect(facts.rule).toMatch(/^B1/);
  });

  test('falls by the penalty for each subagent that ended at a limit, once for each', async () => {
    const base = rolloutWith('run', 0, 0).turns;
    const limited = (agentId: number, id: string) =>
      turnWith({ id, agentId, turnIdx: Number(id.at(-1)), role: 'subagent', hitLimit: true });
    const turns = [base[0]!, limited(1, 'a0'), limited(1, 'a1'), limited(2, 'b0'), base[1]!];
    const collect = () => Promise.resolve({ id: 'run', sample: 0, agentsStarted: 3, turns });
    const penalised = { ...towns(['Bern', 'old'], ['Thun', 'new']), collect };
    const facts = await score({ ...penalised, reward: { failedAgentPenalty: 0.25 } });
    expect(facts.reward).toBeCloseTo(1.1 - 0.5, 10);
    expect(facts.subtasks).toBe(2);
    const stored = await getRollout(store, facts.ref!);
    expect(stored.outcome).toMatchObject({ kind: 'scored', reward: facts.reward });
  });
});

describe('what says nothing about the answer is never a wrong answer', () => {
  test.each(['model_outage', 'tool_outage', 'cancelled'] as const)(
    'a run that ended by %s',
    async (stopReason) => {
      const facts = await score({ question: townQuestion(), result: { status: 'partial', stopReason } });
      expect(facts).toMatchObject({ kind: 'unscored', reward: null, score: null });
      expect(facts.reason).toContain(stopReason);
      // Its tokens are stored, and nothing of it is trained on.
      expect((await getRollout(store, facts.ref!)).outcome.kind).toBe('unscored');
    },
  );

  test('a judge that cannot be reached', async () => {
    const judge: ChatModel = {
      name: 'judge',
      complete: () => Promise.reject(new Error('connection refused')),
    };
    const facts = await score({ question: capitalQuestion, result: { answer: 'Abuja' }, judge });
    expect(facts).toMatchObject({ kind: 'unscored', reward: null, score: null, rule: '' });
    expect(facts.reason).toMatch(/connection refused|judge/);
  });

  test('a judge that nobody configured', async () => {
    const facts = await score({ question: capitalQuestion, result: { answer: 'Abuja' } });
    expect(facts).toMatchObject({ kind: 'unscored', reward: null });
    expect(facts.reason).not.toBe('');
  });
});

test('a store without the result, or tokens that are missing, are errors and no reward', async () => {
  const { outcome: _outcome, ...tokens } = rolloutWith('run', 2, 0);
  const request = {
    ...{
      trainRun: 'r',
      sample: 0,
      runId: 'run',
      reward: rewardSchema.parse({}),
      judge: judgeSchema.parse({}),
    },
    ...{ questionRef: await store.put(JSON.stringify(capitalQuestion)), resultRef: 'f'.repeat(64) },
  };
  const deps = { store, collect: () => Promise.resolve(tokens), judge: () => null };
  await expect(scoreRollout(deps, request, signal)).rejects.toMatchObject({ type: 'NotFound' });
  const lost = { ...deps, collect: () => Promise.reject(new Error('no turn is stored')) };
  const resultRef = await store.put(JSON.stringify(resultWith({ answer: 'x' })));
  await expect(scoreRollout(lost, { ...request, resultRef }, signal)).rejects.toThrow('no turn');
});

test('facts are counted over all turns of all agents', () => {
  const turns = [
    turnWith({ id: 'a', versions: Int32Array.of(4, 4) }),
    turnWith({ id: 'b', agentId: 1, role: 'subagent', responseTokens: Int32Array.of(1, 2, 3) }),
    turnWith({ id: 'c', turnIdx: 1, role: 'single', versions: Int32Array.of(5, 6) }),
  ];
  expect(factsOf({ id: 'r', sample: 0, agentsStarted: 4, turns }, 7)).toEqual({
    ...{ sample: 7, agents: 4, turns: 3, leadTurns: 2, promptTokens: 6, responseTokens: 7 },
    ...{ maxPrompt: 2, maxResponse: 3, maxTotal: 5, versions: [0, 6] },
  });
  expect(factsOf({ id: 'r', sample: 0, agentsStarted: 1, turns: [] }, 0)).toMatchObject({
    ...{ turns: 0, maxPrompt: 0, maxTotal: 0, versions: [0, 0] },
  });
});
