import type { ApplicationFailure, WorkflowFailedError } from '@temporalio/client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Conclusion } from '../../activities/run/conclude.ts';
import { type SeekResult, seekWorkflowId, TASK_QUEUE } from '../../domain/run.ts';
import { clubModel, clubSearch } from '../support/clubs.ts';
import { type Engine, startEngine, startTestServer, type TestServer } from '../support/engine.ts';

describe('two models in one run', { timeout: 120_000 }, () => {
  let server: TestServer;
  let engine: Engine | undefined;
  let runs = 0;
  beforeAll(async () => void (server = await startTestServer()));
  afterEach(async () => {
    await engine?.stop();
    engine = undefined;
  });
  afterAll(() => server.stop());

  const start = (set: Record<string, unknown>) =>
    server.client.workflow.start('seek', {
      taskQueue: TASK_QUEUE,
      workflowId: seekWorkflowId(`two-${++runs}`),
      args: [{ question: 'Coach and stadium of every club?', config: 'two-models', set }],
    });
  /** Why a run failed: the innermost cause. */
  const refusal = async (set: Record<string, unknown>): Promise<ApplicationFailure> => {
    const failed: unknown = await (await start(set)).result().catch((reason: unknown) => reason);
    let { cause } = failed as WorkflowFailedError;
    while (cause?.cause) cause = cause.cause as Error;
    return cause as ApplicationFailure;
  };
  const team = () => ({ big: clubModel({ clubs: 2 }), small: clubModel({ clubs: 2 }) });
  const begin = async (queues: string[], models = team()) => {
    engine = await startEngine(server.address, {
      ...{ model: models.big, search: clubSearch(2), queues, remote: true },
      modelOf: ({ model }) =>
        model === 'small' ? { ...models.small, name: 'small' } : { ...models.big, name: 'big' },
    });
    return models;
  };
  const isLead = (model: ReturnType<typeof clubModel>): boolean[] =>
    model.calls.map(({ messages }) => !messages[1]!.content.includes('## Your subtask'));
  /** The task queue of each turn of a workflow, as its history has it. */
  const queuesOf = async (workflowId: string): Promise<string[]> => {
    const { events } = await server.client.workflow.getHandle(workflowId).fetchHistory();
    return (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: activity }) =>
      activity?.activityType?.name === 'takeTurn' ? [activity.taskQueue?.name ?? ''] : [],
    );
  };

  it.each([
    ['as written', {}, 'big', 'small'],
    ['swapped by two settings', { 'models.lead': 'small', 'models.subagent': 'big' }, 'small', 'big'],
  ] as const)('%s: each role asks its own model on its own queue', async (_, set, lead, subagent) => {
    const models = await begin(['model-big', 'model-small']);
    const handle = await start(set);
    const { resultRef } = (await handle.result()) as Conclusion;
    const result = JSON.parse(await engine!.store.get(resultRef)) as SeekResult;
    expect(result).toMatchObject({ status: 'ok', policy: `${lead} + ${subagent}` });
    expect(isLead(models[lead])).toEqual([true, true]);
    expect(isLead(models[subagent])).toEqual([false, false, false, false, false, false]);
    expect(new Set(await queuesOf(handle.workflowId))).toEqual(new Set([`model-${lead}`]));
    const children = `WideseekRun = "two-${runs}" AND WideseekRole = "subagent"`;
    const found: string[] = [];
    await expect
      .poll(
        async () => {
          found.length = 0;
          for await (const { workflowId } of server.client.workflow.list({ query: children }))
            found.push(workflowId);
          return found.length;
        },
        { timeout: 60_000 },
      )
      .toBe(2);
    for (const id of found) expect(new Set(await queuesOf(id))).toEqual(new Set([`model-${subagent}`]));
  });

  it('a queue that no worker serves ends the run at its start, by name, with nothing asked', async () => {
    const models = await begin(['model-big', 'model-small']);
    const cause = await refusal({ 'endpoints.small.queue': 'nobody' });
    expect(cause.type).toBe('ConfigError');
    expect(cause.message).toMatch(/no worker serves the task queue "nobody"/);
    expect([...models.big.calls, ...models.small.calls]).toEqual([]);
  });

  it('a ceiling in money without prices ends the run at its start; with prices it is kept', async () => {
    const models = await begin(['model-big', 'model-small']);
    expect((await refusal({ 'budget.usd': 0.5 })).message).toMatch(/price of the model "big"/);
    expect([...models.big.calls, ...models.small.calls]).toEqual([]);
    const prices = (name: string): Record<string, number> => ({
      [`endpoints.${name}.prices.promptUsdPerMillion`]: 100,
      [`endpoints.${name}.prices.completionUsdPerMillion`]: 200,
    });
    const handle = await start({ 'budget.usd': 1_000, ...prices('big'), ...prices('small') });
    const { resultRef } = (await handle.result()) as Conclusion;
    const { usage } = JSON.parse(await engine!.store.get(resultRef)) as SeekResult;
    // 8 calls of 100 + 20 tokens each.
    expect(usage.microUsd).toBe(8 * (100 * 100 + 20 * 200));
    expect(await engine!.store.budgets.spent(`two-${runs}`)).toMatchObject({ microUsd: usage.microUsd });
  });
});
