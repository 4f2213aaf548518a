import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Conclusion } from '../../activities/run/conclude.ts';
import { openStore } from '../../activities/store/open.ts';
import type { Store } from '../../activities/store/port.ts';
import { type SeekResult, seekWorkflowId, TASK_QUEUE } from '../../domain/run.ts';
import { packageRoot } from '../../infra/local/home.ts';
import { tsxCommand } from '../../infra/local/worker-process.ts';
import { type Books, openBooks, type Recorded } from './books.ts';
import { seeded, shuffled } from './random.ts';
import { type Part, type Stack, startStack } from './stack.ts';
import { CLUBS, COMPLETION_TOKENS, promptTokensOf, TABLE, TURNS } from './world.ts';

const MINUTES = 60_000;
/** Worker, server, or both at once: ten moments. */
const KILLS: Part[][] = [
  ...Array.from({ length: 3 }, (): Part[] => ['worker']),
  ...Array.from({ length: 5 }, (): Part[] => ['server']),
  ...Array.from({ length: 2 }, (): Part[] => ['worker', 'server']),
];

/** What each agent did; its name, and so the name of its conversation, holds the run's. */
const withoutNames = (agents: SeekResult['agentTurns']) =>
  agents?.map(({ agentId: _, head: __, ...own }) => own);

describe('processes that are killed', () => {
  let stack: Stack;
  let store: Store;
  let books: Books;
  let undisturbed: SeekResult;
  const seed = Number(process.env.WIDESEEK_TEST_SEED ?? Date.now() % 1_000_000);
  const random = seeded(seed);

  beforeAll(async () => {
    stack = await startStack();
    store = await openStore(`sqlite:${stack.storeFile}`);
    books = openBooks(stack.storeFile);
  }, 5 * MINUTES);
  afterAll(async () => {
    books?.close();
    await store?.close();
    await stack?.stop();
  }, MINUTES);

  const inputOf = (run: string, set: Record<string, string | number> = {}) => ({
    question: `Coach and stadium of every club (asked as ${run})?`,
    set: { ...stack.set, 'retry.model.attempts': 20, ...set },
  });
  const start = (run: string) =>
    stack.client.workflow.start('seek', {
      taskQueue: TASK_QUEUE,
      workflowId: seekWorkflowId(run),
      args: [inputOf(run)],
    });
  const resultOf = async (run: string): Promise<SeekResult> => {
    const conclusion = (await stack.client.workflow.getHandle(seekWorkflowId(run)).result()) as Conclusion;
    return JSON.parse(await store.get(conclusion.resultRef)) as SeekResult;
  };
  /** Conversations that were answered for one run so far; its first request is the `before`-th of the endpoint. */
  const answeredSince = (before: number): number =>
    new Set(
      stack.endpoint.log().flatMap(({ event, n, key }) => (event === 'answered' && n >= before ? [key] : [])),
    ).size;
  const requests = (): number => stack.endpoint.log().filter(({ event }) => event === 'received').length;
  const untilAnswered = async (count: number, before: number): Promise<void> => {
    await expect
      .poll(() => answeredSince(before), { timeout: 3 * MINUTES, interval: 20 })
      .toBeGreaterThanOrEqual(count);
  };

  /**
   * What must hold for a finished run, whatever happened to it. Returns how many answers were paid for in vain:
   * those that came before a kill and were not recorded by then.
   */
  async function expectWhole(run: string, kills: readonly number[]): Promise<{ lost: number }> {
    const result = await resultOf(run);
    expect(result).toMatchObject({ status: 'ok', stopReason: 'answered', notes: [], turns: TURNS });
    expect(result.table).toEqual(TABLE);
    expect(result.evidence).toHaveLength(3 * CLUBS.length);
    expect(result.evidence.every(({ status }) => status === 'supported')).toBe(true);
    expect(await store.runs.get(run)).toMatchObject({ status: 'ok', stopReason: 'answered' });

    const children = `WideseekRun = "${run}" AND WideseekRole = "subagent"`;
    const list = async () => {
      const found: { id: string; status: string }[] = [];
      for await (const { workflowId, status } of stack.client.workflow.list({ query: children }))
        found.push({ id: workflowId, status: status.name });
      return found;
    };
    // The server's list follows its histories a moment later.
    const completed = async () => (await list()).filter(({ status }) => status === 'COMPLETED').length;
    await expect.poll(completed, { timeout: MINUTES }).toBe(CLUBS.length);
    const found = await list();
    expect(found).toHaveLength(CLUBS.length);
    expect(new Set(found.map(({ id }) => id)).size).toBe(CLUBS.length);

    // Each turn was recorded once, and the budget is the sum of what was recorded: no more, nothing left open.
    const recorded = books.recorded(run);
    expect(recorded).toHaveLength(TURNS);
    const tokens = recorded.reduce((sum, one) => sum + one.promptTokens + one.completionTokens, 0);
    expect(recorded.every((one) => one.completionTokens === COMPLETION_TOKENS)).toBe(true);
    expect(books.budget(run)).toEqual({ tokens, spent: tokens, open: 0 });
    expect(result.usage).toMatchObject({ modelCalls: TURNS, searches: 20, pagesRead: 20 });
    expect(result.usage.promptTokens + result.usage.completionTokens).toBe(tokens);
    return { lost: expectNoRepeats(recorded, kills) };
  }

  /** No request of a recorded conversation came after the record was written. */
  function expectNoRepeats(recorded: readonly Recorded[], kills: readonly number[]): number {
    const log = stack.endpoint.log();
    const received = log.filter(({ event }) => event === 'received');
    let lost = 0;
    const conversations = recorded.map(({ promptTokens, at }) => {
      const { key } = received.find(({ n }) => promptTokensOf(n) === promptTokens)!;
      const asked = received.filter((line) => line.key === key);
      for (const line of asked)
        expect(line.at, `request ${line.n} came after its answer was recorded`).toBeLessThanOrEqual(at);
      // Whoever asked again did so because somebody was killed meanwhile. A request that was under way then may be logged a moment later.
      asked.slice(1).forEach((line, i) => {
        expect(
          kills.some((kill) => asked[i]!.at <= kill + 1_000 && kill <= line.at),
          `request ${line.n} repeats ${asked[i]!.n}, and nothing was killed in between`,
        ).toBe(true);
      });
      lost += log.filter((line) => line.key === key && line.event === 'answered').length - 1;
      return key;
    });
    expect(new Set(conversations).size).toBe(TURNS);
    return lost;
  }

  it('an undisturbed run answers every conversation exactly once', { timeout: 3 * MINUTES }, async () => {
    await start('calm');
    undisturbed = await resultOf('calm');
    expect(await expectWhole('calm', [])).toEqual({ lost: 0 });
    expect(stack.endpoint.log().filter(({ event }) => event === 'received')).toHaveLength(TURNS);
    expect(stack.endpoint.repeated()).toEqual([]);
  });

  it('a client that is killed takes nothing with it', { timeout: 3 * MINUTES }, async () => {
    const before = requests();
    const { command, args } = tsxCommand('test/e2e/client-main.ts', [
      stack.address,
      'seek',
      seekWorkflowId('orphan'),
      JSON.stringify(inputOf('orphan')),
    ]);
    const client = spawn(command, args, { cwd: packageRoot, stdio: 'inherit' });
    const gone = new Promise((resolve) => client.once('exit', (_code, signal) => resolve(signal)));
    await untilAnswered(8, before);
    client.kill('SIGKILL');
    expect(await gone).toBe('SIGKILL');
    expect(await expectWhole('orphan', [])).toEqual({ lost: 0 });
    expect(requests() - before).toBe(TURNS);
  });

  it(
    'worker and server, at ten random moments: same table, nothing repeated, nothing lost',
    async (context) => {
      context.onTestFailed(() => console.error(`kill test: WIDESEEK_TEST_SEED=${seed} plays this again`));
      const began = Date.now();
      const before = requests();
      // Spread over the whole run: after the n-th answer, and a random moment more.
      const moments = shuffled(
        Array.from({ length: TURNS - 6 }, (_, i) => i + 1),
        random,
      )
        .slice(0, KILLS.length)
        .sort((a, b) => a - b);
      const kills: number[] = [];
      await start('storm');
      const order = shuffled(KILLS, random);
      for (const [i, parts] of order.entries()) {
        await untilAnswered(moments[i]!, before);
        await sleep(random() * 250);
        for (const part of parts) stack.kill(part);
        kills.push(Date.now());
        // The server first: a worker that finds none ends, and is started again by whoever watches it.
        for (const part of ['server', 'worker'] as const) if (parts.includes(part)) await stack.revive(part);
      }
      const { lost } = await expectWhole('storm', kills);
      // The kills hit a running run. The last ones may come when only a few turns are left, so they may be too late.
      const { closeTime } = await stack.client.workflow.getHandle(seekWorkflowId('storm')).describe();
      const inTime = kills.filter((kill) => kill < closeTime!.getTime());
      expect(inTime.length).toBeGreaterThanOrEqual(kills.length / 2);
      const { runId: _, question: __, usage: ___, agentTurns, ...rest } = await resultOf('storm');
      expect(undisturbed).toMatchObject(rest);
      expect(withoutNames(agentTurns)).toEqual(withoutNames(undisturbed.agentTurns));
      console.log(
        `kill test, seed ${seed}: killed ${order.map((parts) => parts.join('+')).join(', ')} after ${moments.join(', ')} answers; ` +
          `${requests() - before} requests for ${TURNS} turns, ${lost} answers lost unrecorded, ${((Date.now() - began) / 1000).toFixed(0)} s`,
      );
    },
    20 * MINUTES,
  );
});
