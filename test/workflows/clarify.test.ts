import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ModelRequest } from '../../activities/model/port.ts';
import type { Conclusion } from '../../activities/run/conclude.ts';
import {
  type Clarification,
  type Progress,
  SEEK_HANDLERS,
  type SeekResult,
  seekWorkflowId,
  TASK_QUEUE,
} from '../../domain/run.ts';
import { call, clubModel, clubSearch, turnsTaken } from '../support/clubs.ts';
import { type Engine, startEngine, startTestServer, type TestServer } from '../support/engine.ts';

const ASKED = { question: 'Men or women?', default: 'men' };

describe('a question that the lead asks back', { timeout: 180_000 }, () => {
  let server: TestServer;
  let engine: Engine | undefined;
  let runs = 0;
  beforeAll(async () => void (server = await startTestServer()));
  afterEach(async () => {
    await engine?.stop();
    engine = undefined;
  });
  afterAll(() => server.stop());

  /** A lead that asks first where it can, then delegates one club. */
  const begin = async (set: Record<string, unknown>) => {
    const asking = (request: ModelRequest): boolean =>
      request.tools.some(({ name }) => name === 'ask_person');
    const model = clubModel({
      clubs: 1,
      override: (request, _signal, lead) => {
        if (!lead) return undefined;
        if (asking(request)) return Promise.resolve(call('ask_person', ASKED));
        if (turnsTaken(request) > 1) return undefined;
        return Promise.resolve(
          call('create_sub_agents', { sub_agents: [{ prompt: 'Coach and stadium of Club0 FC' }] }),
        );
      },
    });
    engine = await startEngine(server.address, { model, search: clubSearch(1) });
    const handle = await server.client.workflow.start('seek', {
      taskQueue: TASK_QUEUE,
      workflowId: seekWorkflowId(`clarify-${++runs}`),
      args: [{ question: 'Coach and stadium of every club?', set }],
    });
    const finish = async (): Promise<SeekResult> => {
      const { resultRef } = (await handle.result()) as Conclusion;
      return JSON.parse(await engine!.store.get(resultRef)) as SeekResult;
    };
    const leadHeard = (): string =>
      model.calls.find((request) => turnsTaken(request) === 1)!.messages.at(-1)!.content;
    return { model, handle, finish, leadHeard };
  };

  it('is seen by query, answered by update, and read by the lead', async () => {
    const { handle, finish, leadHeard, model } = await begin({ 'clarify.seconds': 60 });
    const asks = () => handle.query<Clarification | null>(SEEK_HANDLERS.asks);
    await expect
      .poll(asks, { timeout: 60_000 })
      .toMatchObject({ id: 'q1', question: 'Men or women?', fallback: 'men' });
    expect((await handle.query<Progress>('progress')).asks?.until).toBeGreaterThan(Date.now());
    const answer = (text: string) =>
      handle.executeUpdate<string, [string]>(SEEK_HANDLERS.clarify, { args: [text] });
    await expect(answer('  ')).rejects.toMatchObject({
      cause: { message: expect.stringMatching(/non-empty/) as string },
    });
    expect(await answer('women')).toMatch(/next turn/);
    const result = await finish();
    expect(leadHeard()).toMatch(/^The person answers: women/);
    expect(result).toMatchObject({ status: 'ok', notes: ['asked: Men or women? Answer: women'] });
    // One question a run by default: the tool is offered no more.
    expect(model.calls.filter(({ tools }) => tools.some(({ name }) => name === 'ask_person'))).toHaveLength(
      1,
    );
    expect(await asks()).toBeNull();
  });

  it('goes on with its default when nobody answers in time', async () => {
    const { finish, leadHeard } = await begin({ 'clarify.seconds': 1 });
    const result = await finish();
    expect(leadHeard()).toMatch(/^No answer came in time\. Go on with: men/);
    expect(result.notes).toEqual(['asked: Men or women? No answer; went on with: men']);
  });

  it('is not offered by default, and no answer is taken', async () => {
    const { handle, finish, model } = await begin({});
    const answer = handle
      .executeUpdate(SEEK_HANDLERS.clarify, { args: ['women'] })
      .catch((error: Error) => error.cause);
    expect(await finish()).toMatchObject({ status: 'ok', notes: [] });
    expect(String(await answer)).toMatch(/no open question|completed|not found/);
    expect(model.calls.flatMap(({ tools }) => tools.map(({ name }) => name))).not.toContain('ask_person');
  });

  it('tells whoever answers before anything was asked that nothing is open', async () => {
    const { handle, finish } = await begin({ 'clarify.seconds': 1 });
    // At once: as a rule the run has not even read its configuration.
    await expect(handle.executeUpdate(SEEK_HANDLERS.clarify, { args: ['women'] })).rejects.toMatchObject({
      cause: { message: 'the run has no open question' },
    });
    await finish();
  });

  it('survives the death of every worker while it waits', async () => {
    const { handle, model } = await begin({ 'clarify.seconds': 300 });
    const asks = () => handle.query<Clarification | null>(SEEK_HANDLERS.asks);
    await expect.poll(asks, { timeout: 60_000 }).toMatchObject({ id: 'q1' });
    await engine!.workers.stop();
    const other = await startEngine(server.address, { model, search: clubSearch(1) });
    // The second engine has a store of its own: only the question's life is looked at here.
    await expect.poll(asks, { timeout: 60_000 }).toMatchObject({ id: 'q1' });
    await handle.terminate('seen');
    await other.stop();
    await engine!.store.close();
    engine = undefined;
  });
});
