import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import type { WorkflowFailedError, WorkflowHandle } from '@temporalio/client';
import Sqlite from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createOpenAiModel, type OpenAiOptions } from '../../activities/model/openai.ts';
import type { ChatModel } from '../../activities/model/port.ts';
import type { Conclusion } from '../../activities/run/conclude.ts';
import { type SeekResult, seekWorkflowId, TASK_QUEUE } from '../../domain/run.ts';
import { type Engine, startEngine, startTestServer, type TestServer } from '../support/engine.ts';
import {
  type Behaviour,
  calls,
  empty,
  type FakeOpenAi,
  type FakeRequest,
  html,
  messagesKey,
  rateLimited,
  startFakeOpenAi,
} from '../support/fake-openai.ts';
import { clubOf, CLUBS, clubSearch, decide, isLead, TABLE, turnsTaken } from './world.ts';

const QUICK = {
  'retry.model.attempts': 4,
  'retry.model.firstSeconds': 0.05,
  'agents.subagent.replyTokens': 200,
  'agents.lead.replyTokens': 400,
};
/** Lead twice, each subagent five times. */
const turnsOf = (clubs: number): number => 2 + 5 * clubs;
const tableOf = (clubs: number) => ({ ...TABLE, rows: TABLE.rows.slice(0, clubs) });

describe('a model behind HTTP', { timeout: 120_000 }, () => {
  const dir = mkdtempSync(join(tmpdir(), 'wideseek-endpoint-'));
  const storeFile = join(dir, 'store.db');
  let server: TestServer;
  let engine: Engine;
  let fake: FakeOpenAi;
  let model: ChatModel;
  let runs = 0;

  beforeAll(async () => {
    server = await startTestServer();
    engine = await startEngine(server.address, {
      model: { name: 'endpoint', complete: (request, signal) => model.complete(request, signal) },
      search: clubSearch,
      remote: true,
      storeUrl: `sqlite:${storeFile}`,
    });
  });
  afterEach(() => fake.close());
  afterAll(async () => {
    await engine?.stop();
    await server?.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  /** When each conversation was asked, by the server's clock. */
  let asked: Map<string, number[]>;
  async function begin(
    script: (request: FakeRequest, attempt: number) => Behaviour,
    { set = {}, ...options }: Partial<OpenAiOptions> & { set?: Record<string, unknown> } = {},
  ): Promise<WorkflowHandle> {
    asked = new Map();
    fake = await startFakeOpenAi((request) => {
      const times = asked.get(messagesKey(request.messages)) ?? [];
      asked.set(messagesKey(request.messages), [...times, Date.now()]);
      return script(request, times.length);
    });
    const { baseUrl } = fake;
    model = createOpenAiModel({
      model: 'clubs',
      baseUrls: [baseUrl],
      toolFormat: 'native',
      timeoutMs: 20_000,
      ...options,
    });
    return server.client.workflow.start('seek', {
      taskQueue: TASK_QUEUE,
      workflowId: seekWorkflowId(`endpoint-${++runs}`),
      args: [{ question: `Coach and stadium of every club (${runs})?`, set: { ...QUICK, ...set } }],
    });
  }
  const finish = async (handle: WorkflowHandle): Promise<SeekResult> => {
    const conclusion = (await handle.result()) as Conclusion;
    expect(fake.problems).toEqual([]);
    return JSON.parse(await engine.store.get(conclusion.resultRef)) as SeekResult;
  };
  const failure = async (handle: WorkflowHandle): Promise<string> => {
    const error: unknown = await handle.result().catch((reason: unknown) => reason);
    return String((error as WorkflowFailedError).cause?.message);
  };
  const expectTable = (result: SeekResult, clubs: number): void => {
    expect(result).toMatchObject({ status: 'ok', stopReason: 'answered', table: tableOf(clubs) });
    expect(result.usage.modelCalls).toBe(turnsOf(clubs));
  };
  const leadRead = (): string =>
    fake.requests
      .filter(({ body }) => isLead(body))
      .at(-1)!
      .body.messages.at(-1)!.content ?? '';

  it('answers with native tool calls: one request a turn', async () => {
    expectTable(await finish(await begin((request) => decide(request, 3))), 3);
    expect(fake.requests).toHaveLength(turnsOf(3));
    expect(fake.requests[0]!.body.tools).toHaveLength(1);
  });

  it('answers with Hermes tool calls: the same table, no tools on the wire', async () => {
    const asText = (behaviour: Behaviour): Behaviour => {
      if (behaviour.kind !== 'reply' || !behaviour.calls) return behaviour;
      const blocks = behaviour.calls.map((call) => `<tool_call>\n${JSON.stringify(call)}\n</tool_call>`);
      return { kind: 'reply', content: `I will look it up.\n${blocks.join('\n')}` };
    };
    const handle = await begin((request) => asText(decide(request, 3)), { toolFormat: 'hermes' });
    expectTable(await finish(handle), 3);
    expect(fake.requests.every(({ body }) => body.tools === undefined)).toBe(true);
    expect(fake.requests.every(({ body }) => body.messages.every(({ role }) => role !== 'tool'))).toBe(true);
  });

  it('waits as long as a storm of 429 says', async () => {
    const stormy = (request: FakeRequest): boolean => !isLead(request) && turnsTaken(request) < 2;
    const handle = await begin((request, attempt) =>
      attempt < 2 && stormy(request) ? rateLimited(attempt === 0 ? '1' : '2') : decide(request, 3),
    );
    expectTable(await finish(handle), 3);
    const storms = [...asked.values()].filter((times) => times.length > 1);
    expect(storms).toHaveLength(6);
    for (const [first, second, third] of storms) {
      expect(second! - first!).toBeGreaterThanOrEqual(1_000);
      expect(third! - second!).toBeGreaterThanOrEqual(2_000);
    }
    expect(fake.requests).toHaveLength(turnsOf(3) + 2 * 6);
  });

  it('stops at once at a wrong key, names the variable, and keeps the key to itself', async () => {
    const key = 'sk-e2e-Zq81PxTopSecret77';
    const handle = await begin(
      () => ({ kind: 'status', status: 401, message: `Incorrect API key provided: ${key}.` }),
      { apiKeyEnv: 'E2E_MODEL_KEY', env: { E2E_MODEL_KEY: key } },
    );
    const message = await failure(handle);
    expect(message).toMatch(/model_outage: Unauthorized: .*HTTP 401.*E2E_MODEL_KEY/);
    expect(fake.requests).toHaveLength(1);
    expect(fake.requests[0]!.authorization).toBe(`Bearer ${key}`);

    const history = textOfHistory(await handle.fetchHistory());
    expect(history).toContain('Incorrect API key');
    expect(history).not.toContain(key);
    const store = textOfStore(storeFile);
    expect(store).toContain(`endpoint-${runs}`);
    expect(store).not.toContain(key);
    expect(message).not.toContain(key);
  });

  it('gets over server errors and replies that cannot be read', async () => {
    const troubles: Behaviour[] = [
      { kind: 'status', status: 500 },
      { kind: 'status', status: 503, message: 'overloaded' },
      { kind: 'truncated' },
      { kind: 'cut' },
      { kind: 'reset' },
      empty('choices'),
      empty('content'),
      html(),
    ];
    let met = 0;
    // Every conversation meets one or two of them before its answer.
    const handle = await begin((request, attempt) =>
      attempt < 1 + (request.messages.length % 2) ? troubles[met++ % troubles.length]! : decide(request, 3),
    );
    expectTable(await finish(handle), 3);
    expect(met).toBeGreaterThanOrEqual(turnsOf(3));
  });

  it('cuts off a server that says nothing, and asks again', async () => {
    const handle = await begin(
      (request, attempt) =>
        attempt === 0 && !isLead(request) && turnsTaken(request) === 1
          ? { kind: 'stall' }
          : decide(request, 2),
      { timeoutMs: 3_000 },
    );
    expectTable(await finish(handle), 2);
    const stalls = [...asked.values()].filter((times) => times.length === 2);
    expect(stalls).toHaveLength(2);
    // The client's clock starts before the server sees the request.
    for (const [first, second] of stalls) expect(second! - first!).toBeGreaterThanOrEqual(2_500);
  });

  it('says what is wrong with an address that only ever sends web pages', async () => {
    const message = await failure(await begin(() => html()));
    expect(message).toMatch(/model_outage: BadReply: .*web page instead of JSON.*usually ends in \/v1/);
    expect(fake.requests).toHaveLength(4);
  });

  it('corrects malformed calls, twice, and reports protocol_error; the others go on', async () => {
    const handle = await begin((request) =>
      clubOf(request) === 'Borea' && !isLead(request)
        ? calls({ name: 'search', arguments: '{"queries": [' })
        : decide(request, 2),
    );
    const result = await finish(handle);
    expect(result.table!.rows).toEqual([TABLE.rows[0]]);
    expect(leadRead()).toMatch(/### Subagent 2: protocol_error/);
    const corrected = fake.requests.filter(({ body }) => !isLead(body) && clubOf(body) === 'Borea');
    expect(corrected).toHaveLength(3);
    expect(corrected[2]!.body.messages.at(-1)!.content).toMatch(
      /^Error: the arguments are not a JSON object/,
    );
  });

  it('lets a correction work', async () => {
    const handle = await begin((request) => {
      const broken =
        !isLead(request) && !request.messages.some(({ content }) => content?.startsWith('Error:'));
      if (broken) return calls({ name: 'serch', arguments: { queries: [] } });
      // What the team does not count as a turn of its own.
      const rest = request.messages.filter((_, i) => isLead(request) || (i !== 2 && i !== 3));
      return decide({ ...request, messages: rest }, 2);
    });
    const result = await finish(handle);
    expect(result).toMatchObject({ status: 'ok', table: tableOf(2) });
    expect(result.usage.modelCalls).toBe(turnsOf(2) + 2);
  });

  it('makes a subagent that goes round in circles answer', async () => {
    const handle = await begin(
      (request) =>
        !isLead(request) && clubOf(request) === 'Borea' && request.tools !== undefined
          ? calls({ name: 'search', arguments: { queries: [{ query: 'the same again' }] } })
          : decide(request, 2),
      { set: { 'agents.repeats': 2 } },
    );
    expect(await finish(handle)).toMatchObject({ status: 'ok' });
    expect(leadRead()).toMatch(/### Subagent 2: no_progress/);
    // The first, two repetitions, and the answer that it was made to give.
    expect(fake.requests.filter(({ body }) => clubOf(body) === 'Borea' && !isLead(body))).toHaveLength(4);
  });

  it('keeps what was found when the budget ends in the middle of a fan-out', async () => {
    const ceiling = 13_000;
    const usageOf = (request: FakeRequest) => ({
      prompt_tokens: Math.round(JSON.stringify(request.messages).length / 6),
      completion_tokens: 60,
    });
    const handle = await begin(
      (request) => {
        const behaviour = decide(request);
        // Later clubs are slower, so that some are done when the money is gone.
        const delayMs = isLead(request) ? 0 : 60 * CLUBS.indexOf(clubOf(request));
        return behaviour.kind === 'reply' ? { ...behaviour, delayMs, usage: usageOf(request) } : behaviour;
      },
      // However the subagents' calls overlap, what they leave is too little for the lead's answer.
      { set: { 'budget.tokens': ceiling, 'agents.lead.replyTokens': 9_000 } },
    );
    const result = await finish(handle);
    expect(result).toMatchObject({ status: 'partial', stopReason: 'budget' });
    const rows = result.table!.rows;
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.length).toBeLessThan(CLUBS.length);
    for (const row of rows) expect(TABLE.rows).toContainEqual(row);
    const charged = fake.requests
      .map(({ body }) => usageOf(body))
      .reduce((sum, usage) => sum + usage.prompt_tokens + usage.completion_tokens, 0);
    expect(charged).toBeLessThanOrEqual(ceiling);
    expect(await engine.store.budgets.spent(result.runId)).toMatchObject({ tokens: charged });
    expect(result.usage.promptTokens + result.usage.completionTokens).toBe(charged);
  });
});

/** Everything that a history says, payloads decoded. */
function textOfHistory(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.values(value).map(textOfHistory).join('\n');
}

/** Everything that a store says, unpacked. */
function textOfStore(file: string): string {
  const db = new Sqlite(file, { readonly: true });
  try {
    const rows = ['messages', 'journal', 'budgets', 'charges', 'page_reads', 'runs'].map((table) =>
      JSON.stringify(db.prepare(`select * from ${table}`).all()),
    );
    const blobs = (
      db.prepare('select encoding, bytes from blobs').all() as { encoding: string; bytes: Buffer }[]
    ).map(({ encoding, bytes }) => (encoding === 'deflate' ? inflateSync(bytes) : bytes).toString('utf8'));
    return [...rows, ...blobs].join('\n');
  } finally {
    db.close();
  }
}
