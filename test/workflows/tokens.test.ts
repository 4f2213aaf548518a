import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { collectRollout, countMismatches } from '../../activities/model/tokens/collect.ts';
import { collectionOf } from '../../activities/model/tokens/document.ts';
import { createTokenModel } from '../../activities/model/tokens/model.ts';
import { fakeSampler, type FakeReply, type FakeSampler } from '../../activities/model/tokens/sampler.fake.ts';
import { loadTokenizer } from '../../activities/model/tokens/tokenizer.ts';
import type { Conclusion } from '../../activities/run/conclude.ts';
import { WideseekError } from '../../domain/errors.ts';
import { mergeTurns } from '../../domain/rl/merge.ts';
import type { Turn } from '../../domain/rl/types.ts';
import { type SeekResult, seekWorkflowId, TASK_QUEUE } from '../../domain/run.ts';
import { clubName, clubSearch } from '../support/clubs.ts';
import { type Engine, startEngine, startTestServer, type TestServer } from '../support/engine.ts';

const tokenizer = await loadTokenizer(new URL('../fixtures/tokens', import.meta.url).pathname);
const CLUBS = 3;
const SET = {
  'retry.model.attempts': 5,
  'retry.model.firstSeconds': 0.05,
  // The little tokenizer of the tests needs about one token a letter.
  'agents.lead.contextTokens': 200_000,
  'agents.subagent.contextTokens': 200_000,
  'models.default.seed': 7,
};

const toolCall = (name: string, args: unknown): string =>
  `<think>\nnext: ${name}\n</think>\n\n<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>`;

/** A lead and its subagents as a policy of text: each reply depends on the prompt alone. */
function clubPolicy(prompt: string): string {
  const turns = prompt.split('<|im_start|>assistant\n').length - 2;
  if (!prompt.includes('## Your subtask')) {
    if (turns > 0) return 'Done.\n\n<merged_table/>';
    const names = Array.from({ length: CLUBS }, (_, index) => clubName(index));
    return toolCall('create_sub_agents', {
      sub_agents: names.map((name) => ({ prompt: `Coach and stadium of ${name} FC` })),
    });
  }
  const name = /of (\w+) FC/.exec(prompt)![1]!;
  if (turns === 0) return toolCall('search', { queries: [{ query: name }] });
  const url = `https://clubs.example/${name}`;
  if (turns === 1) return toolCall('access', { urls: [{ url, info_to_extract: 'coach' }] });
  const [coach, stadium] = ['Coach', 'Stadium'].map((label) => new RegExp(`${label}: (.*)`).exec(prompt)![1]);
  return `| club | coach | stadium |\n|---|---|---|\n| ${name} FC | ${coach} | ${stadium} |`;
}

describe('a rollout in token ids on a real Temporal server', { timeout: 180_000 }, () => {
  let server: TestServer;
  let engine: Engine | undefined;
  let runs = 0;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterEach(async () => {
    await engine?.stop();
    engine = undefined;
  });
  afterAll(() => server.stop());

  async function run(
    reply: (prompt: string, n: number) => FakeReply,
    disturb: (engine: Engine) => void = () => undefined,
  ): Promise<{ sampler: FakeSampler; runId: string; result: SeekResult }> {
    const sampler = fakeSampler(tokenizer, (prompt, _, n) => reply(prompt, n));
    const model = createTokenModel({
      name: 'tiny',
      tokenizer: () => Promise.resolve(tokenizer),
      policy: () => Promise.resolve({ version: 5, path: null, url: null }),
      sampler: () => sampler,
      timeoutMs: 20_000,
    });
    engine = await startEngine(server.address, { model, search: clubSearch(CLUBS) });
    disturb(engine);
    const runId = `tokens-${++runs}`;
    const handle = await server.client.workflow.start('seek', {
      taskQueue: TASK_QUEUE,
      workflowId: seekWorkflowId(runId),
      args: [{ question: 'Coach and stadium of every club?', set: SET }],
    });
    const conclusion = (await handle.result()) as Conclusion;
    return { sampler, runId, result: JSON.parse(await engine.store.get(conclusion.resultRef)) as SeekResult };
  }

  const exact = (turns: readonly Turn[]): string[] =>
    turns
      .map(({ promptTokens, responseTokens, logprobs }) =>
        JSON.stringify([[...promptTokens], [...responseTokens], [...logprobs]]),
      )
      .sort();
  const sampled = (sampler: FakeSampler): string[] =>
    sampler.calls
      .map(({ request, sampled: { tokens, logprobs } }) =>
        JSON.stringify([[...request.prompt], [...tokens], [...logprobs]]),
      )
      .sort();

  it('collects exactly what was sampled, agent by agent, each as one sequence', async () => {
    const { sampler, runId, result } = await run(clubPolicy);
    expect(result).toMatchObject({ status: 'ok', agents: 4, turns: 11 });
    expect(result.table!.rows).toContainEqual(['Club1 FC', 'Coach 1son', 'Park 1 Arena']);
    const rollout = await collectRollout(engine!.store, runId, 0);
    expect(rollout).toMatchObject({ id: runId, agentsStarted: 4 });
    expect(exact(rollout.turns)).toEqual(sampled(sampler));
    expect(rollout.turns.map(({ agentId, turnIdx }) => `${agentId}.${turnIdx}`)).toEqual([
      '0.0',
      '1.0',
      '1.1',
      '1.2',
      '2.0',
      '2.1',
      '2.2',
      '3.0',
      '3.1',
      '3.2',
      '0.1',
    ]);
    expect(rollout.turns.map(({ searchCalls, accessCalls }) => searchCalls + 10 * accessCalls)).toEqual([
      0, 1, 10, 0, 1, 10, 0, 1, 10, 0, 0,
    ]);
    expect(rollout.turns.some(({ hitLimit, repeats }) => hitLimit || repeats)).toBe(false);
    expect(new Set(rollout.turns.flatMap(({ versions }) => [...versions]))).toEqual(new Set([5]));
    expect(await countMismatches(engine!.store, runId)).toBe(0);
    const kept = rollout.turns.map((turn) => ({ turn, advantage: 1, weight: 1 }));
    const merged = mergeTurns({ groupId: 'g', rolloutId: runId }, kept);
    expect([merged.mismatches, merged.sequences.length]).toEqual([0, 4]);
    expect(new Set(sampler.calls.map(({ request }) => request.seed)).size).toBe(11);
  });

  it('neither loses nor doubles a turn when the engine fails, or the store after the reply was recorded', async () => {
    let failures = 0;
    const refused = new Set<string>();
    const { sampler, runId } = await run(
      (prompt, n) => {
        if (n % 3 === 1 && failures < 4) {
          failures += 1;
          throw new WideseekError('Overloaded', 'engine: busy');
        }
        return clubPolicy(prompt);
      },
      ({ store }) => {
        const put = store.documents.put.bind(store.documents);
        const turnsOfRun = collectionOf(`tokens-${runs + 1}`);
        store.documents.put = (collection, key, value, expiresAt) => {
          if (collection !== turnsOfRun || refused.has(key) || refused.size >= 5)
            return put(collection, key, value, expiresAt);
          refused.add(key);
          return Promise.reject(new WideseekError('StorageFull', 'store: no room'));
        };
      },
    );
    expect([failures, refused.size]).toEqual([4, 5]);
    const rollout = await collectRollout(engine!.store, runId, 0);
    expect(rollout.turns).toHaveLength(11);
    expect(exact(rollout.turns)).toEqual(sampled(sampler));
    expect(await countMismatches(engine!.store, runId)).toBe(0);
  });
});
