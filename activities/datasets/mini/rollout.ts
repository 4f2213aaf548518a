import type { AgentsConfig } from '../../../domain/agents/limits.ts';
import { limitsFor } from '../../../domain/agents/limits.ts';
import { parseCalls } from '../../../domain/agents/calls.ts';
import { composeMessages, type LoadedAppend } from '../../../domain/agents/compose.ts';
import type { AgentRole, Message } from '../../../domain/agents/messages.ts';
import { openingMessages } from '../../../domain/agents/prompts.ts';
import type { ToolRequest } from '../../../domain/agents/requests.ts';
import { begin, step } from '../../../domain/agents/step.ts';
import { TERSE_NOTHING, terseNote, terseReportHeading } from '../../../domain/agents/terse.ts';
import { toolsFor } from '../../../domain/agents/tools.ts';
import type { StopReason } from '../../../domain/run.ts';
import type { ChatModel, PreviousTokens } from '../../model/port.ts';
import type { SearchProvider } from '../../search/port.ts';
import { printTerse } from '../../search/tools.ts';

/** One agent's whole conversation as token ids. */
export interface AgentTrace {
  role: AgentRole;
  tokens: Int32Array;
  /** Where the agent's own tokens are, in order. */
  spans: { start: number; length: number }[];
  /** What it said last. */
  text: string;
  outcome: StopReason;
  /** Requests of each of its turns. */
  requests: ToolRequest[][];
}

export interface RolloutOptions {
  question: string;
  /** `mas` or `sa`, and the limits; terse prompts whatever it says. */
  agents: AgentsConfig;
  model: ChatModel;
  search: SearchProvider;
  /** Default: 1. */
  temperature?: number;
}

/**
 * One rollout in this process, without a workflow and without a store: the same prompts, parser, state machine and
 * messages as `seek`, so that the ids are those that `seek` would have sampled. The first trace is the lead's or the
 * single agent's. For thousands of scripted rollouts a minute; outages are thrown.
 */
export async function scriptRollout(options: RolloutOptions): Promise<AgentTrace[]> {
  const { agents } = options;
  const traces: AgentTrace[] = [];
  const search = (requests: ToolRequest[]): Promise<string[]> =>
    Promise.all(requests.map((request) => useTool(options.search, request)));
  const act = async (requests: ToolRequest[]): Promise<string[]> => {
    if (agents.workflow === 'sa') return search(requests);
    const started = await Promise.all(
      requests.map((request) =>
        runAgent(options, 'subagent', request.tool === 'delegate' ? request.prompt : '', search),
      ),
    );
    traces.push(...started);
    return started.map(({ outcome, text }) =>
      [terseReportHeading(outcome), text || TERSE_NOTHING].filter(Boolean).join('\n'),
    );
  };
  const first = await runAgent(options, agents.workflow === 'mas' ? 'lead' : 'single', null, act);
  return [first, ...traces];
}

async function useTool(search: SearchProvider, request: ToolRequest): Promise<string> {
  if (request.tool !== 'search') throw new Error(`the script of the miniature has no tool ${request.tool}`);
  return printTerse(await search.search(request.query, request.count, new AbortController().signal));
}

async function runAgent(
  { question, agents, model, temperature = 1 }: RolloutOptions,
  role: AgentRole,
  subtask: string | null,
  act: (requests: ToolRequest[]) => Promise<string[]>,
): Promise<AgentTrace> {
  const limits = limitsFor(role, agents);
  const trace: Omit<AgentTrace, 'tokens' | 'outcome'> = { role, spans: [], text: '', requests: [] };
  const messages: Message[] = openingMessages({
    role,
    language: 'en',
    question,
    subtask,
    answer: 'table',
    today: null,
    width: limits.requests,
    turns: limits.turns,
    style: 'terse',
  });
  let state = begin(role, limits, 'improved');
  let previous: PreviousTokens | null = null;
  for (;;) {
    const reply = await model.complete(
      {
        messages,
        tools: state.lastTurn ? [] : toolsFor(role, limits.requests, 'en'),
        maxTokens: limits.replyTokens,
        temperature,
        session: `${role}/${subtask ?? ''}`,
        previous,
      },
      new AbortController().signal,
    );
    if (!reply.tokens) throw new Error(`${model.name} gives no token ids`);
    const { promptTokens, responseTokens } = reply.tokens;
    trace.spans.push({ start: promptTokens.length, length: responseTokens.length });
    trace.text = reply.message.content.trim() || trace.text;
    messages.push(reply.message);
    previous = { messages: messages.length, promptTokens, responseTokens };

    const { requests, problems } = state.lastTurn
      ? { requests: [], problems: [] }
      : parseCalls(role, reply.message, limits.requests);
    trace.requests.push(requests);
    const facts = {
      requests,
      problems,
      answered: reply.message.content.trim() !== '',
      truncated: reply.finishReason === 'length',
      contextTokens: promptTokens.length + responseTokens.length,
    };
    const next = step(state, facts, limits, 'improved');
    state = next.state;
    if (next.decision.do === 'stop') {
      const tokens = Int32Array.from([...promptTokens, ...responseTokens]);
      return { ...trace, tokens, outcome: next.decision.reason };
    }
    const asked = next.decision.do === 'act' ? next.decision.requests : [];
    const wrong = 'problems' in next.decision ? next.decision.problems : [];
    const appends = answers(asked, await act(asked), wrong);
    const hint = {
      language: 'en',
      turn: state.turn + 1,
      turns: limits.turns,
      last: false,
      style: 'terse',
    } as const;
    messages.push(...composeMessages(appends, hint, Infinity));
  }
}

/** As `workflows/agent.ts` groups results: one tool message a call, problems at its end. */
function answers(
  requests: readonly ToolRequest[],
  results: readonly string[],
  problems: readonly { callId: string | null; name: string; text: string }[],
): LoadedAppend[] {
  const appends: LoadedAppend[] = [];
  const add = (callId: string, name: string, part: { fixed: string; body: string }): void => {
    const known = appends.find((append) => append.role === 'tool' && append.callId === callId);
    if (known?.role === 'tool') known.parts.push(part);
    else appends.push({ role: 'tool', callId, name, parts: [part] });
  };
  requests.forEach((request, index) =>
    add(request.callId, request.tool === 'delegate' ? 'create_sub_agents' : request.tool, {
      fixed: '',
      body: results[index]!,
    }),
  );
  for (const { callId, name, text } of problems) {
    const note = terseNote(`Error: ${text}`);
    if (callId === null) appends.push({ role: 'user', text: note });
    else add(callId, name, { fixed: note, body: '' });
  }
  return appends;
}
