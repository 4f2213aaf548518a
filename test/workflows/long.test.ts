import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChatModel } from '../../activities/model/port.ts';
import type { Conclusion } from '../../activities/run/conclude.ts';
import type { Page, SearchProvider } from '../../activities/search/port.ts';
import { type SeekResult, seekWorkflowId, TASK_QUEUE } from '../../domain/run.ts';
import { call, reply, say, turnsTaken } from '../support/clubs.ts';
import { startEngine, startTestServer, type TestServer } from '../support/engine.ts';

const MB = 1024 * 1024;

/** A single agent that thinks 12,000 characters a turn and searches something new each time. */
const longThinker = (turns: number): ChatModel => ({
  name: 'thinker',
  complete: async (request) => {
    const turn = turnsTaken(request);
    if (request.tools.length === 0) return say(`\\boxed{after ${turn} turns}`);
    expect(turn).toBeLessThan(turns);
    const thought = reply({ role: 'assistant', content: `turn ${turn}: ${'consider '.repeat(1333)}` }, 3300);
    return {
      ...thought,
      message: {
        ...thought.message,
        toolCalls: call('search', { query: `q${turn}` }, `c${turn}`).message.toolCalls,
      },
    };
  },
});

const CLUBS_PER_GROUP = 5;
const groupPage = (group: number): Page => ({
  url: `https://clubs.example/group/${group}`,
  title: `Group ${group}`,
  text: Array.from(
    { length: CLUBS_PER_GROUP },
    (_, i) => `- Club ${group}-${i}: coach Coach${group}x${i}`,
  ).join('\n'),
});
const groupSearch: SearchProvider = {
  name: 'groups',
  search: async () => [],
  access: async (url) => groupPage(Number(url.split('/').at(-1))),
};
/** A lead that delegates ten groups a turn and submits the merged table; subagents that read one page and report it. */
const groupModel = (groups: number): ChatModel => ({
  name: 'groups',
  complete: async (request) => {
    const turns = turnsTaken(request);
    const subtask = /Clubs of group (\d+)/.exec(request.messages[1]!.content)?.[1];
    if (subtask === undefined) {
      const first = turns * 10;
      if (first >= groups) return say('<merged_table/>');
      return call('create_sub_agents', {
        sub_agents: Array.from({ length: 10 }, (_, i) => ({ prompt: `Clubs of group ${first + i}` })),
      });
    }
    if (turns === 0)
      return call('access', {
        urls: [{ url: `https://clubs.example/group/${subtask}`, info_to_extract: 'clubs' }],
      });
    const rows = [...request.messages.at(-1)!.content.matchAll(/- (Club \S+): coach (\S+)/g)].map(
      (row) => `| ${row[1]} | ${row[2]} |`,
    );
    return say(['| club | coach |', '|---|---|', ...rows].join('\n'));
  },
});

describe('long runs', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.stop());

  it('128 turns and 400k tokens of conversation: constant bytes a turn, under 2 MB of history', async () => {
    const engine = await startEngine(server.address, {
      model: longThinker(128),
      search: {
        name: 'echo',
        search: async (query) => [{ url: `https://e.example/${query}`, title: query, text: 'nothing here' }],
        access: async (url) => ({ url, unreadable: 'not_found' }),
      },
    });
    try {
      const set = {
        'agents.workflow': 'sa',
        'agents.single.turns': 128,
        'agents.single.contextTokens': 1_000_000,
        answer: 'boxed',
      };
      const handle = await server.client.workflow.start('seek', {
        taskQueue: TASK_QUEUE,
        workflowId: seekWorkflowId('long'),
        args: [{ question: 'What is there?', set }],
      });
      const conclusion = (await handle.result()) as Conclusion;
      const result = JSON.parse(await engine.store.get(conclusion.resultRef)) as SeekResult;
      expect(result).toMatchObject({ answer: 'after 127 turns', turns: 128, stopReason: 'turn_limit' });
      expect(result.usage.completionTokens).toBeGreaterThan(400_000);

      const { events } = await handle.fetchHistory();
      const turnStarts = events!.flatMap((event, index) =>
        event.activityTaskScheduledEventAttributes?.activityType?.name === 'takeTurn' ? [index] : [],
      );
      const bytes = turnStarts
        .slice(0, -1)
        .map((from, i) => JSON.stringify(events!.slice(from, turnStarts[i + 1])).length);
      // The machine keeps hashes of at most 64 requests; from then on a turn has one size.
      const mean = (values: number[]): number =>
        values.reduce((sum, value) => sum + value, 0) / values.length;
      expect(mean(bytes.slice(-20))).toBeLessThan(mean(bytes.slice(5, 25)) * 1.1);
      const size = Number((await handle.describe()).raw.workflowExecutionInfo!.historySizeBytes);
      expect(size).toBeLessThan(2 * MB);
      console.log(`128 turns: ${(size / 1024).toFixed(0)} KB of history, ${events!.length} events`);
    } finally {
      await engine.stop();
    }
  }, 180_000);

  it('2,000 rows: continues as new and loses no row', async () => {
    const groups = 2000 / CLUBS_PER_GROUP;
    const engine = await startEngine(server.address, { model: groupModel(groups), search: groupSearch });
    try {
      const set = { 'agents.lead.turns': 100, 'agents.lead.contextTokens': 1_000_000, historyEvents: 1_000 };
      const handle = await server.client.workflow.start('seek', {
        taskQueue: TASK_QUEUE,
        workflowId: seekWorkflowId('wide'),
        args: [{ question: 'All clubs with coach', set }],
      });
      const conclusion = (await handle.result()) as Conclusion;
      expect(conclusion).toMatchObject({ status: 'ok', stopReason: 'answered', rows: 2000 });
      const { table, agents, evidence } = JSON.parse(
        await engine.store.get(conclusion.resultRef),
      ) as SeekResult;
      expect(agents).toBe(groups + 1);
      expect(new Set(table!.rows.map((row) => row[0])).size).toBe(2000);
      expect(evidence.filter((cell) => cell.status === 'supported').length).toBeGreaterThan(3_900);

      const lengths: number[] = [];
      for await (const run of server.client.workflow.list({
        query: `WorkflowId = "${seekWorkflowId('wide')}"`,
      }))
        lengths.push(run.historyLength ?? 0);
      console.log(`2,000 rows: ${lengths.length} runs of ${lengths.join(', ')} events`);
      expect(lengths.length).toBeGreaterThan(1);
      expect(Math.max(...lengths)).toBeLessThan(10_000);
    } finally {
      await engine.stop();
    }
  }, 300_000);
});
