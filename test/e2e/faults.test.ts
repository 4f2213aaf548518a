import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ChatModel, ModelRequest } from '../../activities/model/port.ts';
import type { Conclusion } from '../../activities/run/conclude.ts';
import { migrate } from '../../activities/store/migrations.ts';
import { createStore, openStore } from '../../activities/store/open.ts';
import type { Store } from '../../activities/store/port.ts';
import { openSqlite } from '../../activities/store/sqlite.ts';
import { WideseekError } from '../../domain/errors.ts';
import { type SeekResult, seekWorkflowId, TASK_QUEUE } from '../../domain/run.ts';
import { createActivities } from '../../workers/activities.ts';
import { workflowBundle } from '../../workers/bundle.ts';
import { startWorkers } from '../../workers/worker.ts';
import { clubModel, clubSearch } from '../support/clubs.ts';
import { installRuntime, startTestServer, type TestServer } from '../support/engine.ts';
import { findPostgres, startPostgres } from '../support/postgres.ts';
import { startStack } from './stack.ts';
import { TABLE, TURNS } from './world.ts';

const MINUTES = 60_000;
const { reason: noPostgres } = findPostgres();

describe('two hosts on one Postgres store', () => {
  it.skipIf(noPostgres !== undefined)(
    `one dies for good, the other finishes${noPostgres ? ` (skipped: ${noPostgres})` : ''}`,
    async () => {
      const postgres = await startPostgres();
      const storeUrl = await postgres.createDatabase('wideseek');
      const stack = await startStack({ storeUrl, workers: ['worker', 'worker-2'] });
      const store = await openStore(storeUrl);
      try {
        const handle = await stack.client.workflow.start('seek', {
          taskQueue: TASK_QUEUE,
          workflowId: seekWorkflowId('two-hosts'),
          args: [{ question: 'Coach and stadium of every club?', set: stack.set }],
        });
        const answered = () => stack.endpoint.log().filter(({ event }) => event === 'answered').length;
        await expect.poll(answered, { timeout: MINUTES, interval: 20 }).toBeGreaterThanOrEqual(15);
        stack.kill('worker');

        const { resultRef } = (await handle.result()) as Conclusion;
        const result = JSON.parse(await store.get(resultRef)) as SeekResult;
        expect(result).toMatchObject({ status: 'ok', turns: TURNS, table: TABLE });
        const tokens = result.usage.promptTokens + result.usage.completionTokens;
        expect(await store.budgets.spent('two-hosts')).toMatchObject({ tokens });
        const { rows } = await queryOnce(storeUrl, 'select count(*)::int as turns from journal');
        expect(rows).toEqual([{ turns: TURNS }]);
        // At most what the dead host held was asked again: one call of each subagent.
        const received = stack.endpoint.log().filter(({ event }) => event === 'received').length;
        expect(received - TURNS).toBeLessThanOrEqual(10);
        console.log(`two hosts: ${received - TURNS} of ${TURNS} calls repeated after the death of one`);
      } finally {
        await store.close();
        await stack.stop();
        await postgres.stop();
      }
    },
    5 * MINUTES,
  );
});

const queryOnce = async (url: string, text: string): Promise<pg.QueryResult> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query(text);
  } finally {
    await client.end();
  }
};

describe('a store whose disk is full', () => {
  const dir = mkdtempSync(join(tmpdir(), 'wideseek-full-'));
  let server: TestServer;
  let host: Awaited<ReturnType<typeof startHost>> | undefined;
  let runs = 0;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterEach(async () => {
    await host?.stop();
    host = undefined;
  });
  afterAll(async () => {
    await server?.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  /** Workers on a store whose disk can be filled and emptied. */
  async function startHost(model: ChatModel) {
    installRuntime();
    const db = await openSqlite(join(dir, `store-${++runs}.db`), 'sqlite:store.db');
    await migrate({ db, dialect: 'sqlite' });
    const inner = createStore({ db, dialect: 'sqlite' });
    let refused = 0;
    const store: Store = {
      ...inner,
      journal: {
        ...inner.journal,
        record: async (...entry) => {
          try {
            await inner.journal.record(...entry);
          } catch (error) {
            if (error instanceof WideseekError && error.type === 'StorageFull') refused += 1;
            throw error;
          }
        },
      },
    };
    const queues = ['model', 'search', 'pages', TASK_QUEUE].map(
      (name) => [name, { concurrency: 50 }] as const,
    );
    const workers = await startWorkers({
      address: server.address,
      queues: new Map(queues),
      activities: createActivities(store, {
        model: () => model,
        isLocalModel: () => false,
        search: () => Promise.resolve(clubSearch(5)),
        isLocalSearch: () => false,
      }),
      workflowBundle: await workflowBundle(join(tmpdir(), 'wideseek-test-bundles')),
    });
    return {
      store,
      /** Records that the full disk has refused. */
      refused: () => refused,
      fill: () => sql`pragma max_page_count = 1`.execute(db),
      empty: () => sql`pragma max_page_count = 1000000`.execute(db),
      integrity: async () =>
        (await sql<{ integrity_check: string }>`pragma integrity_check`.execute(db)).rows,
      stop: async () => {
        await workers.stop();
        await store.close();
      },
    };
  }
  /** The team, after a moment of trouble; its thoughts are too long for the room that is left in a full file. */
  function troubled(
    clubs: number,
    trouble: (subagent: boolean, request: ModelRequest) => Promise<void>,
  ): ReturnType<typeof clubModel> {
    const team = clubModel({ clubs });
    return {
      ...team,
      complete: async (request, signal) => {
        await trouble(request.messages[1]!.content.includes('## Your subtask'), request);
        const reply = await team.complete(request, signal);
        return { ...reply, message: { ...reply.message, reasoning: randomBytes(6_000).toString('hex') } };
      },
    };
  }
  const start = (set: Record<string, number> = {}): Promise<WorkflowHandle> =>
    server.client.workflow.start('seek', {
      taskQueue: TASK_QUEUE,
      workflowId: seekWorkflowId(`full-${runs}`),
      args: [
        {
          question: 'Coach and stadium of every club?',
          set: { 'retry.model.firstSeconds': 0.2, 'retry.tools.firstSeconds': 0.2, ...set },
        },
      ],
    });

  it(
    'waits, pays for nothing twice, and ends right when there is space again',
    async () => {
      let waiting = 0;
      const model = troubled(5, async (subagent) => {
        // All five subagents wait for the model when the disk fills up.
        if (subagent && ++waiting === 5) await host!.fill();
        if (subagent) await sleep(300);
      });
      host = await startHost(model);
      const handle = await start();
      await expect.poll(() => host!.refused(), { timeout: MINUTES }).toBeGreaterThanOrEqual(5);
      await sleep(1_000);
      await host.empty();
      const { resultRef } = (await handle.result()) as Conclusion;
      const result = JSON.parse(await host.store.get(resultRef)) as SeekResult;
      expect(result).toMatchObject({ status: 'ok', stopReason: 'answered' });
      expect(result.table!.rows).toHaveLength(5);
      expect(model.calls).toHaveLength(2 + 5 * 3);
      expect(await host.store.budgets.spent(result.runId)).toMatchObject({
        tokens: model.calls.length * 120,
      });
      expect(await host.integrity()).toEqual([{ integrity_check: 'ok' }]);
    },
    2 * MINUTES,
  );

  it(
    'fails readably when the space does not come back, and keeps what was written',
    async () => {
      const model = troubled(1, async (_subagent, request) => {
        if (request.messages.at(-1)?.content.startsWith('### Search')) await host!.fill();
      });
      host = await startHost(model);
      const handle = await start({ 'retry.model.attempts': 2 });
      const error: unknown = await handle.result().catch((reason: unknown) => reason);
      // Asked once, refused again and again.
      expect(
        model.calls.filter(({ messages }) => messages.at(-1)!.content.startsWith('### Search')),
      ).toHaveLength(1);
      expect(causes(error).at(-1)).toMatch(/SQLITE_FULL.*Free space on the disk/);
      await host.empty();
      expect(await host.store.runs.get(`full-${runs}`)).toMatchObject({
        status: expect.any(String) as string,
      });
      expect(await host.integrity()).toEqual([{ integrity_check: 'ok' }]);
    },
    2 * MINUTES,
  );
});

/** The messages of an error and of what caused it, outermost first. */
function causes(error: unknown): string[] {
  return error instanceof Error ? [error.message, ...causes(error.cause)] : [];
}
