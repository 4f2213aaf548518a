import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages';
import { Annotation, END, MessagesAnnotation, Send, START, StateGraph } from '@langchain/langgraph';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import { printHits, printPage } from '../../../activities/search/tools.ts';
import type { ChatModel } from '../../../activities/model/port.ts';
import type { SearchProvider } from '../../../activities/search/port.ts';
import type { AgentRole, Message } from '../../../domain/agents/messages.ts';
import { openingMessages } from '../../../domain/agents/prompts.ts';
import { toolsFor } from '../../../domain/agents/tools.ts';
import { createBenchModel, createBenchSearch } from '../fakes.ts';
import { type Counts, questionOf, type Work } from '../workload.ts';
import { type Contestant, SPARE_TURNS, takeFrom } from './contestant.ts';

const PAGE_TOKENS = 6_000;
const signal = new AbortController().signal;

/**
 * The same work as LangGraph.js does it by its own manual: a subagent is a graph of `model` and `tools`, the lead
 * fans out with `Send`, every super-step is a checkpoint in SQLite with the library's default durability.
 */
export async function createLanggraph(): Promise<Contestant> {
  const counts: Counts = { model: 0, tool: 0 };
  const dir = await mkdtemp(join(tmpdir(), 'wideseek-langgraph-'));
  const checkpointer = SqliteSaver.fromConnString(join(dir, 'checkpoints.db'));
  const model = createBenchModel(counts);
  const search = createBenchSearch(counts);
  let runs = 0;
  return {
    name: 'LangGraph.js, SQLite',
    pids: {},
    run: async (work) => {
      const graph = leadGraph(work, model, search).compile({ checkpointer });
      const result = await graph.invoke(
        { messages: opening('lead', work, null) },
        {
          configurable: { thread_id: `run-${++runs}` },
          recursionLimit: 4 * (work.fanouts + work.turns) + 25,
        },
      );
      return result.messages.at(-1)!.text;
    },
    takeCounts: async () => takeFrom(counts),
    close: async () => {
      checkpointer.db.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

const Lead = Annotation.Root({
  ...MessagesAnnotation.spec,
  reports: Annotation<string[]>({ reducer: (a, b) => a.concat(b), default: () => [] }),
  /** Reports that the lead has read. */
  read: Annotation<number>({ reducer: (_, b) => b, default: () => 0 }),
});
const Task = Annotation.Root({ prompt: Annotation<string> });

function leadGraph(work: Work, model: ChatModel, search: SearchProvider) {
  const subagent = subagentGraph(model, search).compile();
  return new StateGraph(Lead)
    .addNode('lead', async ({ messages, reports, read }) => {
      const call = callsOf(messages.at(-1)!)[0];
      const fresh = call
        ? [
            new ToolMessage({
              tool_call_id: call.id!,
              name: call.name,
              content: reports.slice(read).join('\n\n'),
            }),
          ]
        : [];
      const reply = await complete(model, 'lead', work.width, [...messages, ...fresh]);
      return { messages: [...fresh, reply], read: reports.length };
    })
    .addNode(
      'subagent',
      async ({ prompt }: typeof Task.State, config) => {
        const result = await subagent.invoke({ messages: opening('subagent', work, prompt) }, config);
        return { reports: [result.messages.at(-1)!.text] };
      },
      { input: Task },
    )
    .addEdge(START, 'lead')
    .addConditionalEdges(
      'lead',
      ({ messages }) => {
        const call = callsOf(messages.at(-1)!)[0];
        if (!call) return END;
        const { sub_agents } = call.args as { sub_agents: { prompt: string }[] };
        return sub_agents.map(({ prompt }) => new Send('subagent', { prompt }));
      },
      ['subagent', END],
    )
    .addEdge('subagent', 'lead');
}

function subagentGraph(model: ChatModel, search: SearchProvider) {
  return new StateGraph(MessagesAnnotation)
    .addNode('model', async ({ messages }) => ({
      messages: [await complete(model, 'subagent', 5, messages)],
    }))
    .addNode('tools', async ({ messages }) => ({
      messages: await Promise.all(
        callsOf(messages.at(-1)!).map(
          async (call) =>
            new ToolMessage({
              tool_call_id: call.id!,
              name: call.name,
              content: await useTool(search, call),
            }),
        ),
      ),
    }))
    .addEdge(START, 'model')
    .addConditionalEdges('model', ({ messages }) => (callsOf(messages.at(-1)!).length > 0 ? 'tools' : END), [
      'tools',
      END,
    ])
    .addEdge('tools', 'model');
}

const callsOf = (message: BaseMessage) => (message instanceof AIMessage ? (message.tool_calls ?? []) : []);

async function useTool(search: SearchProvider, call: { name: string; args: object }): Promise<string> {
  if (call.name === 'search') {
    const { queries } = call.args as { queries: { query: string }[] };
    const lists = queries.map(async ({ query }) => printHits(query, await search.search(query, 3, signal)));
    return (await Promise.all(lists)).join('\n\n');
  }
  const { urls } = call.args as { urls: { url: string }[] };
  const pages = urls.map(async ({ url }) => {
    const page = await search.access(url, signal);
    if ('unreadable' in page) throw new Error(`${url} cannot be read`);
    return printPage(page, 1, PAGE_TOKENS);
  });
  return (await Promise.all(pages)).join('\n\n');
}

/** One call of the same fake model, through the library's message types. */
async function complete(
  model: ChatModel,
  role: AgentRole,
  width: number,
  messages: readonly BaseMessage[],
): Promise<AIMessage> {
  const request = { messages: messages.map(fromLangchain), tools: toolsFor(role, width, 'en') };
  const reply = await model.complete({ ...request, maxTokens: 8_000, temperature: 1, session: role }, signal);
  const calls = reply.message.toolCalls ?? [];
  return new AIMessage({
    content: reply.message.content,
    tool_calls: calls.map(({ id, name, arguments: args }) => ({
      id,
      name,
      args: JSON.parse(args) as Record<string, unknown>,
    })),
  });
}

function opening(role: AgentRole, work: Work, subtask: string | null): BaseMessage[] {
  const turns = (role === 'lead' ? work.fanouts + 1 : work.turns) + SPARE_TURNS;
  const width = role === 'lead' ? work.width : 5;
  const question = questionOf(work);
  return openingMessages({
    role,
    language: 'en',
    question,
    subtask,
    answer: 'auto',
    today: null,
    width,
    turns,
  }).map(({ role: speaker, content }) =>
    speaker === 'system' ? new SystemMessage(content) : new HumanMessage(content),
  );
}

function fromLangchain(message: BaseMessage): Message {
  const content = message.text;
  if (message instanceof SystemMessage) return { role: 'system', content };
  if (message instanceof HumanMessage) return { role: 'user', content };
  if (message instanceof ToolMessage)
    return { role: 'tool', toolCallId: message.tool_call_id, name: message.name ?? '', content };
  const toolCalls = callsOf(message).map(({ id, name, args }) => ({
    id: id!,
    name,
    arguments: JSON.stringify(args),
  }));
  return { role: 'assistant', content, toolCalls };
}
