import { ActivityFailure, ApplicationFailure, isCancellation, TimeoutFailure } from '@temporalio/workflow';
import type { CallProblem, ToolRequest } from '../domain/agents/requests.ts';
import {
  addUsage,
  type Append,
  noUsage,
  type Part,
  type Plan,
  type ToolResult,
} from '../domain/agents/plan.ts';
import type { AgentRole } from '../domain/agents/messages.ts';
import { earlierResult, noteResults } from '../domain/agents/long.ts';
import { addCalls, type AgentCalls, callsOf, noCalls } from '../domain/agents/turns.ts';
import { afterTools, type AgentState, begin, step } from '../domain/agents/step.ts';
import type { RunUsage, StopReason } from '../domain/run.ts';
import { modelOf, toolsOf } from './proxies.ts';
import { summarise } from './summarise.ts';

/** One agent's life so far: small and versionless data, so that it survives continue-as-new. */
export interface Session {
  agentId: string;
  role: AgentRole;
  subtask: string | null;
  state: AgentState;
  head: string | null;
  /** What the next turn has to be told. */
  inbox: Append[];
  /** The latest text: the answer once the agent has stopped as answered. */
  textRef: string | null;
  usage: RunUsage;
  note: string;
  /** Not there in sessions of earlier versions. */
  calls?: AgentCalls;
}

export interface AgentHooks {
  /** Performs a turn's requests: delegation for the lead, search and access for the others; results in order. */
  act: (requests: ToolRequest[]) => Promise<ToolResult[]>;
  /** Whether this turn may ask the person back. Default: no. */
  mayAsk?: () => boolean;
  /** Runs before each turn: the place for guidance and continue-as-new. */
  beforeTurn?: () => Promise<void>;
}

export const openSession = (
  plan: Plan,
  agentId: string,
  role: AgentRole,
  subtask: string | null,
): Session => ({
  agentId,
  role,
  subtask,
  state: begin(role, plan.limits[role], plan.profile),
  head: null,
  inbox: [],
  textRef: null,
  usage: noUsage(),
  note: '',
  calls: noCalls(),
});

/**
 * The loop of every agent (paper, algorithm of section 3; spec 1.6): think, act, read the results, until it answers
 * or a limit says stop. Mutates `session`, which is all there is to keep.
 */
export async function runAgent(plan: Plan, session: Session, hooks: AgentHooks): Promise<StopReason> {
  const { agentId, role, subtask } = session;
  const limits = plan.limits[role];
  const model = modelOf(plan, role);

  for (;;) {
    await hooks.beforeTurn?.();
    const turn = session.state.turn + 1;
    const { long } = session.state;
    const mustAnswer = session.state.lastTurn !== null && (plan.profile === 'improved' || long !== undefined);
    const kind = mustAnswer ? ' (must answer)' : long?.reading ? ' (reading)' : '';
    const result = await attempt(session, 'model_outage', () =>
      model.takeTurn.executeWithOptions({ summary: `${role} turn ${turn}${kind}` }, [
        {
          runId: plan.runId,
          planRef: plan.planRef,
          agentId,
          role,
          limits,
          profile: plan.profile,
          language: plan.language,
          turn,
          mustAnswer,
          head: session.head,
          subtask,
          append: session.inbox,
          ...(hooks.mayAsk?.() ? { mayAsk: true } : {}),
          ...(session.state.lastTurn ? { lastTurn: session.state.lastTurn } : {}),
          ...(long ? { long: { reading: long.reading, phase: long.phase } } : {}),
        },
      ]),
    );
    if (typeof result === 'string') return result;
    if (result.kind === 'refused') return result.reason;

    session.head = result.head;
    session.inbox = [];
    // An agent with rules hands over a text only where it has the form of an answer.
    session.textRef = result.textRef ?? session.textRef;
    session.usage = addUsage(session.usage, result.usage);
    const { state, decision } = step(session.state, result.facts, limits, plan.profile);
    session.state = state;

    if (decision.do === 'stop') return decision.reason;
    if (decision.do === 'correct') {
      session.inbox = answers([], [], decision.problems);
      continue;
    }
    if (decision.do === 'read') {
      session.inbox = decision.part ? [{ role: 'user', text: '', part: decision.part }] : [];
      continue;
    }
    if (session.calls) session.calls = addCalls(session.calls, callsOf(decision.requests));
    const results = await hooks.act(decision.requests);
    session.inbox = answers(decision.requests, results, decision.problems);
    const after = afterTools(
      noteResults(session.state, decision.requests, results, limits),
      results.every((one) => one.status === 'outage'),
      limits,
    );
    session.state = after.state;
    if (after.stop) return after.stop;
    if (plan.profile === 'reference' && state.lastTurn) return state.lastTurn;
  }
}

/** Searches and page reads of one turn, all at once. A call that fails for good becomes a result that says so. */
export async function useTools(plan: Plan, session: Session, requests: ToolRequest[]): Promise<ToolResult[]> {
  const searching = toolsOf(plan, 'search');
  const reading = toolsOf(plan, 'pages');
  const { runId, planRef } = plan;
  const { rules, ...limits } = plan.limits[session.role];
  return Promise.all(
    requests.map(async (request): Promise<ToolResult> => {
      const earlier = earlierResult(session.state, request, { ...limits, rules });
      if (earlier) return earlier;
      try {
        if (request.tool === 'search') {
          session.usage.searches += 1;
          return await searching.searchPages.executeWithOptions({ summary: request.query.slice(0, 80) }, [
            { runId, planRef, request, ...(rules ? { listPages: true } : {}) },
          ]);
        }
        if (request.tool === 'access') {
          const chunk = rules?.reads.pages ? { chunk: rules.chunk } : {};
          const more = plan.summary && !rules ? { summarise: true } : chunk;
          const input = { runId, planRef, agentId: session.agentId, request, ...more };
          const result = await reading.readPage.executeWithOptions({ summary: request.url.slice(0, 80) }, [
            input,
          ]);
          if (result.status === 'ok') session.usage.pagesRead += 1;
          return await summarise(plan, session, request, result);
        }
        throw ApplicationFailure.nonRetryable(`a ${session.role} cannot ${request.tool}`, 'Internal');
      } catch (error) {
        // The turn must be answered all the same, or a resumed conversation would have a call without its result.
        if (isCancellation(error))
          return { status: 'empty', part: { kind: 'text', text: 'Error: stopped before it was answered' } };
        const what =
          request.tool === 'search'
            ? `search "${request.query}"`
            : request.tool === 'access'
              ? request.url
              : request.tool;
        const text = `Error: ${what}: unavailable (${describe(error)}). This is an outage, not an empty result.`;
        return { status: 'outage', part: { kind: 'text', text } };
      }
    }),
  );
}

const TOOL_NAMES: Record<ToolRequest['tool'], string> = {
  delegate: 'create_sub_agents',
  clarify: 'ask_person',
  search: 'search',
  access: 'access',
};

/** Groups results by the call that asked for them: one tool message a call, problems included. */
function answers(
  requests: readonly ToolRequest[],
  results: readonly ToolResult[],
  problems: readonly CallProblem[],
): Append[] {
  const byCall = new Map<string, Extract<Append, { role: 'tool' }>>();
  const messages: Append[] = [];
  const answer = (callId: string, name: string, part: Part): void => {
    let message = byCall.get(callId);
    if (!message) {
      message = { role: 'tool', callId, name, parts: [] };
      byCall.set(callId, message);
      messages.push(message);
    }
    message.parts.push(part);
  };
  requests.forEach((request, index) => {
    const name = TOOL_NAMES[request.tool];
    const { note, part } = results[index]!;
    if (note) answer(request.callId, name, { kind: 'text', text: note });
    answer(request.callId, name, part);
  });
  for (const { callId, name, text } of problems) {
    if (callId === null) messages.push({ role: 'user', text: name === 'note' ? text : `Error: ${text}` });
    else answer(callId, name, { kind: 'text', text: `Error: ${text}` });
  }
  return messages;
}

/** Runs a call whose final failure ends the agent with `reason` instead of failing the workflow. */
async function attempt<T>(
  session: Session,
  reason: StopReason,
  call: () => Promise<T>,
): Promise<T | StopReason> {
  try {
    return await call();
  } catch (error) {
    if (isCancellation(error) || !isFailedCall(error)) throw error;
    session.note = describe(error);
    return reason;
  }
}

/** A local activity's failure comes without an `ActivityFailure` around it. */
const isFailedCall = (error: unknown): boolean =>
  error instanceof ActivityFailure || error instanceof ApplicationFailure || error instanceof TimeoutFailure;

/** The innermost reason of a failure: `RateLimited: …`. */
export function describe(error: unknown): string {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (cause instanceof ApplicationFailure) return `${cause.type ?? 'Internal'}: ${cause.message}`;
  if (cause instanceof TimeoutFailure) return 'Timeout: no answer in time';
  return cause instanceof Error ? cause.message : String(cause);
}
