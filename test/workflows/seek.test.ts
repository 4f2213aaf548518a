import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ChatModel, ModelReply, ModelRequest } from '../../activities/model/port.ts';
import type { Conclusion } from '../../activities/run/conclude.ts';
import type { Page, SearchProvider } from '../../activities/search/port.ts';
import { type SeekResult, seekWorkflowId, TASK_QUEUE } from '../../domain/run.ts';
import { type Engine, startEngine, startTestServer, type TestServer } from '../support/engine.ts';

const PAGES: Page[] = ['Alba', 'Borea', 'Corvo'].map((name, index) => ({
  url: `https://example.org/${name}`,
  title: `${name} FC`,
  text: `${name} FC is a club.\nCoach: Coach ${name}son\nStadium: Park ${index + 1} Arena`,
}));

const search: SearchProvider = {
  name: 'fake',
  search: async (query, topK) =>
    PAGES.filter((page) => query.toLowerCase().includes(page.title.split(' ')[0]!.toLowerCase()))
      .slice(0, topK)
      .map((page) => ({ url: page.url, title: page.title, text: page.text })),
  access: async (url) => PAGES.find((page) => page.url === url) ?? { url, unreadable: 'not_found' },
};

const say = (content: string): ModelReply => reply({ role: 'assistant', content });
const call = (name: string, args: unknown): ModelReply =>
  reply({
    role: 'assistant',
    content: '',
    toolCalls: [{ id: `c-${name}`, name, arguments: JSON.stringify(args) }],
  });
const reply = (message: ModelReply['message']): ModelReply => ({
  message,
  finishReason: message.toolCalls ? 'tool_calls' : 'stop',
  usage: { promptTokens: 100, completionTokens: 20 },
});

/** A competent lead and subagents for the three clubs, stateless like any model. */
function clubModel(calls: ModelRequest[] = []): ChatModel {
  return {
    name: 'scripted',
    complete: async (request) => {
      calls.push(request);
      const turns = request.messages.filter((message) => message.role === 'assistant').length;
      const task = request.messages[1]!.content;
      if (request.tools[0]?.name === 'create_sub_agents' || !task.includes('## Your subtask')) {
        if (turns === 0) {
          return call('create_sub_agents', {
            sub_agents: ['Alba', 'Borea', 'Corvo'].map((name) => ({
              prompt: `Coach and stadium of ${name} FC`,
            })),
          });
        }
        return say('<merged_table/>');
      }
      const name = /of (\w+) FC/.exec(task)![1]!;
      if (turns === 0) return call('search', { queries: [{ query: name }] });
      if (turns === 1)
        return call('access', { urls: [{ url: `https://example.org/${name}`, info_to_extract: 'coach' }] });
      const page = request.messages.at(-1)!.content;
      const coach = /Coach: (.*)/.exec(page)![1]!;
      const stadium = /Stadium: (.*)/.exec(page)![1]!;
      return say(`| club | coach | stadium |\n|---|---|---|\n| ${name} FC | ${coach} | ${stadium} |`);
    },
  };
}

describe('seek on a real Temporal server', () => {
  let server: TestServer;
  let engine: Engine | undefined;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterEach(async () => {
    await engine?.stop();
    engine = undefined;
  });
  afterAll(() => server.stop());

  const start = (runId: string, input: unknown) =>
    server.client.workflow.start('seek', {
      taskQueue: TASK_QUEUE,
      workflowId: seekWorkflowId(runId),
      args: [input],
    });
  const resultOf = async (conclusion: Conclusion): Promise<SeekResult> =>
    JSON.parse(await engine!.store.get(conclusion.resultRef)) as SeekResult;

  it('delegates in parallel, merges the reports and grounds every cell', async () => {
    engine = await startEngine(server.address, { model: clubModel(), search });
    const handle = await start('clubs', { question: 'Coach and stadium of every club?' });
    const conclusion = (await handle.result()) as Conclusion;
    expect(conclusion).toMatchObject({ runId: 'clubs', status: 'ok', stopReason: 'answered', rows: 3 });
    const result = await resultOf(conclusion);
    expect(result.table).toEqual({
      columns: ['club', 'coach', 'stadium'],
      rows: [
        ['Alba FC', 'Coach Albason', 'Park 1 Arena'],
        ['Borea FC', 'Coach Boreason', 'Park 2 Arena'],
        ['Corvo FC', 'Coach Corvoson', 'Park 3 Arena'],
      ],
    });
    expect(result.evidence.filter((cell) => cell.status === 'supported')).toHaveLength(9);
    expect(result).toMatchObject({ agents: 4, turns: 11, policy: 'scripted' });
    expect(result.usage).toMatchObject({ modelCalls: 11, searches: 3, pagesRead: 3, promptTokens: 1100 });
  });
});
