import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Conclusion } from '../../activities/run/conclude.ts';
import { openStore } from '../../activities/store/open.ts';
import type { Store } from '../../activities/store/port.ts';
import { type SeekResult, seekWorkflowId, TASK_QUEUE } from '../../domain/run.ts';
import { ROAD_ANSWER, ROAD_TOKENS, roadPromptTokens, roadSearch } from '../support/long-road.ts';
import { type Books, openBooks } from './books.ts';
import { seeded } from './random.ts';
import { type Part, type Stack, startStack } from './stack.ts';

const MINUTES = 60_000;
const MB = 1024 * 1024;
const KILLS: { after: number; parts: Part[] }[] = [
  { after: 25, parts: ['worker'] },
  { after: 60, parts: ['server'] },
  { after: 100, parts: ['worker', 'server'] },
];

describe('a long-horizon run that is killed three times', () => {
  let stack: Stack;
  let store: Store;
  let books: Books;
  const seed = Number(process.env.WIDESEEK_TEST_SEED ?? Date.now() % 1_000_000);
  const random = seeded(seed);

  beforeAll(async () => {
    stack = await startStack({ script: new URL('./road-script.ts', import.meta.url), search: roadSearch });
    store = await openStore(`sqlite:${stack.storeFile}`);
    books = openBooks(stack.storeFile);
  }, 5 * MINUTES);
  afterAll(async () => {
    books?.close();
    await store?.close();
    await stack?.stop();
  }, MINUTES);

  it(
    'reasons through 128 turns and 400,000 tokens, answers, repeats nothing, and its history stays small',
    async (context) => {
      context.onTestFailed(() => console.error(`kill-long: WIDESEEK_TEST_SEED=${seed} plays this again`));
      const set = { ...stack.set, 'retry.model.attempts': 20, 'agents.long.generatedTokens': 500_000 };
      const handle = await stack.client.workflow.start('seek', {
        taskQueue: TASK_QUEUE,
        workflowId: seekWorkflowId('road'),
        args: [{ question: 'Where does the road end?', config: 'reasoning', set }],
      });
      const answered = (): number =>
        new Set(stack.endpoint.log().flatMap(({ event, key }) => (event === 'answered' ? [key] : []))).size;
      const kills: number[] = [];
      for (const { after, parts } of KILLS) {
        await expect.poll(answered, { timeout: 5 * MINUTES, interval: 20 }).toBeGreaterThanOrEqual(after);
        await sleep(random() * 250);
        for (const part of parts) stack.kill(part);
        kills.push(Date.now());
        for (const part of ['server', 'worker'] as const) if (parts.includes(part)) await stack.revive(part);
      }

      const conclusion = (await stack.client.workflow
        .getHandle(seekWorkflowId('road'))
        .result()) as Conclusion;
      const result = JSON.parse(await store.get(conclusion.resultRef)) as SeekResult;
      // The turn before the last had to answer and did not; the last one was its second chance.
      expect(result).toMatchObject({
        status: 'ok',
        answer: ROAD_ANSWER,
        stopReason: 'turn_limit',
        turns: 128,
      });
      expect(result.usage).toMatchObject({ modelCalls: 128, completionTokens: 128 * ROAD_TOKENS });
      expect(result.usage.completionTokens).toBeGreaterThan(400_000);

      const recorded = books.recorded('road');
      expect(recorded).toHaveLength(128);
      const received = stack.endpoint.log().filter(({ event }) => event === 'received');
      const keys = recorded.map(({ promptTokens, at }) => {
        const { key } = received.find(({ n }) => roadPromptTokens(n) === promptTokens)!;
        const asked = received.filter((line) => line.key === key);
        for (const line of asked)
          expect(line.at, `request ${line.n} came after its answer was recorded`).toBeLessThanOrEqual(at);
        asked.slice(1).forEach((line, i) => {
          // A request that was under way at the kill may be logged a moment after it.
          const between = kills.some((kill) => asked[i]!.at <= kill + 1_000 && kill <= line.at);
          expect(between, `request ${line.n} repeats ${asked[i]!.n}, and nothing was killed in between`).toBe(
            true,
          );
        });
        return key;
      });
      expect(new Set(keys).size).toBe(128);

      const description = await handle.describe();
      const size = Number(description.raw.workflowExecutionInfo!.historySizeBytes);
      expect(size).toBeLessThan(2 * MB);
      const { searches, pagesRead } = result.usage;
      console.log(
        `kill-long, seed ${seed}: 128 turns, ${result.usage.completionTokens} tokens generated, ${searches} searches, ${pagesRead} pages, ` +
          `${received.length} requests, history ${(size / 1024).toFixed(0)} KB in ${description.historyLength} events`,
      );
    },
    15 * MINUTES,
  );
});
