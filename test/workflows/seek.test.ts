import type { ApplicationFailure, WorkflowFailedError } from '@temporalio/client';
import { type WorkflowHandle } from '@temporalio/client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Conclusion } from '../../activities/run/conclude.ts';
import { readTurns } from '../../activities/run/turn-records.ts';
import type { SearchProvider } from '../../activities/search/port.ts';
import { WideseekError } from '../../domain/errors.ts';
import { type Progress, type SeekResult, seekWorkflowId, TASK_QUEUE } from '../../domain/run.ts';
import { call, clubModel, type ClubModelOptions, clubSearch, hang, say } from '../support/clubs.ts';
import { type Engine, startEngine, startTestServer, type TestServer } from '../support/engine.ts';

const QUICK = {
  'retry.model.attempts': 2,
  'retry.model.firstSeconds': 0.05,
  'retry.tools.attempts': 2,
  'retry.tools.firstSeconds': 0.05,
};

describe('seek on a real Temporal server', { timeout: 120_000 }, () => {
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

  async function begin(
    options: ClubModelOptions,
    set: Record<string, unknown> = {},
    search: SearchProvider = clubSearch(options.clubs),
    question = 'Coach and stadium of every club?',
  ) {
    const model = clubModel(options);
    engine = await startEngine(server.address, { model, search });
    return {
      model,
      handle: await start({ question, set: { ...QUICK, ...set } }),
    };
  }
  const start = (input: unknown): Promise<WorkflowHandle> =>
    server.client.workflow.start('seek', {
      taskQueue: TASK_QUEUE,
      workflowId: seekWorkflowId(`run-${++runs}`),
      args: [input],
    });
  const finish = async (handle: WorkflowHandle): Promise<SeekResult> => {
    const conclusion = (await handle.result()) as Conclusion;
    return JSON.parse(await engine!.store.get(conclusion.resultRef)) as SeekResult;
  };
  const failure = async (handle: WorkflowHandle): Promise<ApplicationFailure> => {
    const error: unknown = await handle.result().catch((reason: unknown) => reason);
    let cause = (error as WorkflowFailedError).cause;
    while (cause?.cause instanceof Error) cause = cause.cause;
    return cause as ApplicationFailure;
  };

  it('delegates in parallel, merges the reports and grounds every cell', async () => {
    const { model, handle } = await begin({ clubs: 3 });
    const result = await finish(handle);
    expect(result).toMatchObject({
      status: 'ok',
      stopReason: 'answered',
      policy: 'clubs',
      agents: 4,
      turns: 11,
    });
    expect(result.table!.columns).toEqual(['club', 'coach', 'stadium']);
    expect(result.table!.rows).toContainEqual(['Club1 FC', 'Coach 1son', 'Park 1 Arena']);
    expect(result.evidence.filter((cell) => cell.status === 'supported')).toHaveLength(9);
    expect(result.usage).toMatchObject({ modelCalls: 11, searches: 3, pagesRead: 3, promptTokens: 1100 });
    expect(model.calls).toHaveLength(11);
    expect(
      result.agentTurns!.map(({ role, startedIn, turns, calls }) => [role, startedIn, turns, calls]),
    ).toEqual([
      ...Array.from({ length: 3 }, () => [
        'subagent',
        1,
        3,
        { turns: 2, subtasks: 0, searches: 1, accesses: 1 },
      ]),
      ['lead', 0, 2, { turns: 1, subtasks: 3, searches: 0, accesses: 0 }],
    ]);
    const turns = await readTurns(result.agentTurns!, engine!.store);
    expect(turns).toHaveLength(11);
    expect(turns.reduce((sum, turn) => sum + (turn.prompt_ids_length ?? 0), 0)).toBe(1100);
    expect(await engine!.store.runs.get(result.runId)).toMatchObject({
      planRef: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      status: 'ok',
      stopReason: 'answered',
    });
    const description = await handle.describe();
    expect(description.searchAttributes).toMatchObject({
      WideseekStopReason: ['answered'],
      WideseekRole: ['lead'],
    });
    expect(description.memo).toMatchObject({ policy: 'clubs' });
  });

  it.each([
    [{ question: ' ' }, /question: must not be empty/],
    [{ question: 'x', confg: 'ask' }, /confg/],
    [{ question: 'x', config: 'nope' }, /config: there is no configuration "nope"\. Known: .*ask/],
    [{ question: 'x', set: { 'agents.wdith': 2 } }, /agents\.wdith: unknown key/],
    [{ question: 'x', set: { 'agents.width': 0 } }, /agents\.width/],
    [{ question: 'x', set: { 'agents.profile': 'reference', 'agents.width': 11 } }, /agents\.width: is 11/],
  ])('refuses %j before any model call', async (input, message) => {
    const model = clubModel({ clubs: 1 });
    engine = await startEngine(server.address, { model, search: clubSearch(1) });
    const error = await failure(await start(input));
    expect(error).toMatchObject({ type: 'InvalidInput', nonRetryable: true });
    expect(error.message).toMatch(message);
    expect(model.calls).toHaveLength(0);
  });

  it('keeps the partial table when a person cancels', async () => {
    const { handle } = await begin({
      clubs: 4,
      perTurn: 2,
      override: (request, signal, lead) => (lead && request.messages.length > 4 ? hang(signal) : undefined),
    });
    await expect
      .poll(async () => (await handle.query<Progress>('progress')).rowsSoFar, { timeout: 60_000 })
      .toBe(2);
    await handle.cancel();
    const result = await finish(handle);
    expect(result).toMatchObject({ status: 'partial', stopReason: 'cancelled' });
    expect(result.table!.rows).toHaveLength(2);
  });

  it('cancels subagents with the lead and still merges what they had', async () => {
    const { handle } = await begin({
      clubs: 2,
      override: (request, signal, lead) =>
        !lead && request.messages[1]!.content.includes('Club1') ? hang(signal) : undefined,
    });
    await expect
      .poll(
        async () =>
          (await handle.query<Progress>('progress')).agents.some((agent) => agent.state === 'answered'),
        { timeout: 60_000 },
      )
      .toBe(true);
    await handle.cancel();
    expect((await finish(handle)).table!.rows).toEqual([['Club0 FC', 'Coach 0son', 'Park 0 Arena']]);
  });

  it('ends with the table so far when the deadline passes', async () => {
    const { handle } = await begin(
      {
        clubs: 4,
        perTurn: 2,
        override: (request, signal, lead) => (lead && request.messages.length > 4 ? hang(signal) : undefined),
      },
      { 'budget.minutes': 0.25 },
    );
    expect(await finish(handle)).toMatchObject({ status: 'partial', stopReason: 'deadline' });
  });

  it('never passes its token ceiling and ends with the table so far', async () => {
    const { handle, model } = await begin(
      { clubs: 30 },
      // However the calls overlap, what two delegations leave is too little for the lead's third turn.
      { 'budget.tokens': 12_000, 'agents.subagent.replyTokens': 200, 'agents.lead.replyTokens': 6_000 },
    );
    const result = await finish(handle);
    expect(result).toMatchObject({ status: 'partial', stopReason: 'budget' });
    expect(result.table!.rows.length).toBeGreaterThan(0);
    expect(result.usage.promptTokens + result.usage.completionTokens).toBeLessThanOrEqual(12_000);
    expect(await engine!.store.budgets.spent(result.runId)).toMatchObject({
      tokens: model.calls.length * 120,
    });
  });

  it('hands guidance to the lead in its next turn', async () => {
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    const { handle, model } = await begin({
      clubs: 2,
      override: (request, _signal, lead) => (lead ? undefined : gate.then(() => say('nothing found'))),
    });
    await handle.executeUpdate('guide', { args: ['Prefer the club site'] });
    await expect(handle.executeUpdate('guide', { args: ['  '] })).rejects.toThrow();
    release();
    await finish(handle);
    expect(model.calls.at(-1)!.messages.at(-1)!.content).toMatch(/^Prefer the club site\n\n\[Turn 2/);
  });

  it('makes an agent that repeats itself answer', async () => {
    const { handle, model } = await begin(
      {
        clubs: 1,
        override: (request, _signal, lead) =>
          lead || request.tools.length === 0
            ? undefined
            : Promise.resolve(call('search', { queries: [{ query: 'same' }] })),
      },
      { 'agents.repeats': 2 },
    );
    await finish(handle);
    const lead = model.calls.at(-1)!.messages.at(-1)!.content;
    expect(lead).toMatch(/### Subagent 1: no_progress/);
    expect(model.calls).toHaveLength(2 + 4);
  });

  it('corrects malformed calls, then reports protocol_error', async () => {
    const { handle, model } = await begin({
      clubs: 1,
      override: (_request, _signal, lead) =>
        lead ? undefined : Promise.resolve(call('search', { query: 'scalar form' })),
    });
    await finish(handle);
    expect(model.calls[2]!.messages.at(-1)!.content).toMatch(/^Error: "queries" must be a non-empty array/);
    expect(model.calls.at(-1)!.messages.at(-1)!.content).toMatch(/### Subagent 1: protocol_error/);
  });

  it('tells the model about an outage as what it is, and gives up on the tools after a while', async () => {
    const down = (): Promise<never> =>
      Promise.reject(new WideseekError('Overloaded', 'search: connection refused'));
    const { handle, model } = await begin(
      {
        clubs: 1,
        override: (request, _signal, lead) =>
          lead
            ? undefined
            : Promise.resolve(call('search', { queries: [{ query: `q${request.messages.length}` }] })),
      },
      {},
      { name: 'down', search: down, access: down },
    );
    const result = await finish(handle);
    expect(model.calls[2]!.messages.at(-1)!.content).toMatch(
      /unavailable \(Overloaded: search: connection refused\)\. This is an outage/,
    );
    expect(model.calls.at(-1)!.messages.at(-1)!.content).toMatch(/### Subagent 1: tool_outage/);
    expect(result.notes.join()).toMatch(/tool_outage/);
  });

  it('fails the run, visibly and resumably, when the model stays away', async () => {
    const { handle, model } = await begin({
      clubs: 1,
      override: () => Promise.reject(new WideseekError('Unauthorized', 'model: the key is not accepted')),
    });
    const error = await failure(handle);
    expect(error).toMatchObject({ type: 'model_outage' });
    expect(error.message).toMatch(/Unauthorized: model: the key is not accepted/);
    expect(model.calls).toHaveLength(1);
    expect(await engine!.store.runs.get(`run-${runs}`)).toMatchObject({
      status: 'failed',
      stopReason: 'model_outage',
    });
  });

  it('goes on from where an outage stopped it, with a new allowance of time', async () => {
    let down = true;
    const { handle, model } = await begin(
      {
        clubs: 4,
        perTurn: 2,
        override: (request, _signal, lead) =>
          lead && down && request.messages.length >= 4
            ? Promise.reject(new WideseekError('Overloaded', 'model: 503'))
            : undefined,
      },
      { 'budget.minutes': 1 },
    );
    expect(await finish(handle)).toMatchObject({ status: 'partial', stopReason: 'model_outage' });
    const before = model.calls.length;
    down = false;
    const saved = (await engine!.store.documents.get('resume', `run-${runs}`)) as {
      input: unknown;
      state: { plan: { deadline: number; minutes: number } };
    };
    expect(saved.state.plan.minutes).toBe(1);
    const resumed = await server.client.workflow.start('seek', {
      taskQueue: TASK_QUEUE,
      workflowId: handle.workflowId,
      args: [saved.input, { ...saved.state, plan: { ...saved.state.plan, deadline: Date.now() + 60_000 } }],
    });
    const result = await finish(resumed);
    expect(result).toMatchObject({ status: 'ok', stopReason: 'answered' });
    expect(result.table!.rows).toHaveLength(4);
    expect(model.calls.length - before).toBe(2 * 3 + 2);
  });

  it('answers alone as a single agent', async () => {
    const { handle, model } = await begin(
      {
        clubs: 1,
        override: (request) =>
          Promise.resolve(
            request.messages.length === 2
              ? call('search', { query: 'Club0' })
              : request.messages.length === 4
                ? call('access', { url: 'https://clubs.example/Club0', info_to_extract: 'coach' })
                : say('\\boxed{Coach 0son}'),
          ),
      },
      { 'agents.workflow': 'sa', answer: 'boxed' },
      clubSearch(1),
      'Who is the coach of Club0 FC?',
    );
    const result = await finish(handle);
    expect(result).toMatchObject({ status: 'ok', answer: 'Coach 0son', table: null, agents: 1, turns: 3 });
    expect(result.evidence).toMatchObject([{ status: 'supported', quote: 'Coach: Coach 0son' }]);
    expect(model.calls).toHaveLength(3);
  });

  it('reproduces the reference: a malformed call is the final answer', async () => {
    const { handle } = await begin(
      {
        clubs: 1,
        override: (_request, _signal, lead) =>
          lead ? Promise.resolve(call('create_sub_agents', { oops: 1 })) : undefined,
      },
      { 'agents.profile': 'reference', answer: 'table' },
    );
    expect(await finish(handle)).toMatchObject({ status: 'failed', stopReason: 'answered', turns: 1 });
  });
});
