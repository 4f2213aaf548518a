import type { ChatModel } from '../../../activities/model/port.ts';
import type { SearchProvider } from '../../../activities/search/port.ts';
import { printHits, printPage } from '../../../activities/search/tools.ts';
import { parseCalls, type ToolRequest } from '../../../domain/agents/calls.ts';
import { composeMessages, reportHeading } from '../../../domain/agents/compose.ts';
import type { AgentLimits } from '../../../domain/agents/limits.ts';
import type { AgentRole, Message } from '../../../domain/agents/messages.ts';
import { openingMessages } from '../../../domain/agents/prompts.ts';
import { afterTools, begin, step } from '../../../domain/agents/step.ts';
import { toolsFor } from '../../../domain/agents/tools.ts';
import { createBenchModel, createBenchSearch } from '../fakes.ts';
import { type Counts, questionOf, type Work } from '../workload.ts';
import { type Contestant, SPARE_TURNS, takeFrom } from './contestant.ts';

const PAGE_TOKENS = 6_000;
const signal = new AbortController().signal;

interface World {
  model: ChatModel;
  search: SearchProvider;
  question: string;
  limits: (role: AgentRole) => AgentLimits;
}

/** The agent machine in an async loop of this process: nothing is stored, nothing is retried. The floor. */
export function createPlain(): Contestant {
  const counts: Counts = { model: 0, tool: 0 };
  const model = createBenchModel(counts);
  const search = createBenchSearch(counts);
  return {
    name: 'plain async loop',
    pids: {},
    run: (work) =>
      runAgent({ model, search, question: questionOf(work), limits: limitsOf(work) }, 'lead', null),
    takeCounts: async () => takeFrom(counts),
    close: async () => {},
  };
}

const limitsOf =
  (work: Work) =>
  (role: AgentRole): AgentLimits => ({
    turns: (role === 'lead' ? work.fanouts + 1 : work.turns) + SPARE_TURNS,
    requests: role === 'lead' ? work.width : 5,
    contextTokens: 32_000,
    replyTokens: 8_000,
    corrections: 2,
    repeats: 3,
    outages: 3,
  });

async function runAgent(world: World, role: AgentRole, subtask: string | null): Promise<string> {
  const { model, question } = world;
  const limits = world.limits(role);
  const { requests: width, turns } = limits;
  const tools = toolsFor(role, width, 'en');
  const opening = {
    role,
    language: 'en',
    question,
    subtask,
    answer: 'auto',
    today: null,
    width,
    turns,
  } as const;
  const messages: Message[] = openingMessages(opening);
  let state = begin(role, limits, 'improved');

  for (;;) {
    const request = { messages, tools, maxTokens: limits.replyTokens, temperature: 1, session: role };
    const reply = await model.complete(request, signal);
    messages.push(reply.message);
    const { requests, problems } = parseCalls(role, reply.message, width);
    const contextTokens = reply.usage.promptTokens + reply.usage.completionTokens;
    const facts = {
      requests,
      problems,
      answered: reply.message.content !== '',
      truncated: false,
      contextTokens,
    };
    const next = step(state, facts, limits, 'improved');
    if (next.decision.do === 'stop') return reply.message.content;
    if (next.decision.do === 'correct') throw new Error('the scripted model made a malformed call');

    const parts = await Promise.all(requests.map((one, index) => act(world, one, index + 1)));
    const { callId, tool } = requests[0]!;
    const hint = { language: 'en', turn: next.state.turn + 1, turns, last: false } as const;
    messages.push(
      ...composeMessages([{ role: 'tool', callId, name: tool, parts }], hint, limits.contextTokens),
    );
    state = afterTools(next.state, false, limits).state;
  }
}

async function act(world: World, request: ToolRequest, n: number): Promise<{ fixed: string; body: string }> {
  if (request.tool === 'delegate') {
    const body = await runAgent(world, 'subagent', request.prompt);
    return { fixed: reportHeading(n, 'answered', request.prompt), body };
  }
  if (request.tool === 'search')
    return { fixed: '', body: printHits(request.query, await world.search.search(request.query, 3, signal)) };
  if (request.tool === 'clarify') throw new Error('nobody is there to be asked');
  const page = await world.search.access(request.url, signal);
  if ('unreadable' in page) throw new Error(`${request.url} cannot be read`);
  return { fixed: '', body: printPage(page, 1, PAGE_TOKENS) };
}
