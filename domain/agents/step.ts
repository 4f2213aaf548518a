import type { AgentLimits } from './limits.ts';
import { type CallProblem, signature, type ToolRequest } from './requests.ts';
import { shortHash } from '../ids.ts';
import { beginWith, type ChunkPart, type LongState, stepLong } from './long.ts';
import type { AgentRole } from './messages.ts';
import type { StopReason } from '../run.ts';

/** All that an agent remembers between turns besides its conversation; a few hundred bytes, whatever its length. */
export interface AgentState {
  role: AgentRole;
  /** Turns taken. */
  turn: number;
  /** Malformed turns in a row. */
  corrections: number;
  /** Turns in a row that brought nothing new. */
  repeats: number;
  /** Turns in a row whose every tool call met an outage. */
  outages: number;
  /** Hashes of the latest requests, oldest first. */
  seen: string[];
  /** Set when the next turn is the last one and must answer; the reason it will be given if it does. */
  lastTurn: StopReason | null;
  /** Only for agents with rules. */
  long?: LongState;
}

/** What one model turn amounted to, as facts small enough for workflow history. */
export interface TurnFacts {
  requests: ToolRequest[];
  problems: CallProblem[];
  /** The message had text besides its calls: an answer, if there are no calls. */
  answered: boolean;
  /** The reply filled its limit and was cut. */
  truncated: boolean;
  /** Tokens of the conversation, this reply included. */
  contextTokens: number;
  /** Tokens of this reply alone. Not there in facts of earlier versions. */
  generated?: number;
  /** For agents with rules: the text has the form of a final answer. */
  formed?: boolean;
  /** For agents with rules: the rest of the page is not worth reading. */
  enough?: boolean;
}

/** What to do next. Workflows perform it. */
export type Decision =
  | { do: 'act'; requests: ToolRequest[]; problems: CallProblem[] }
  | { do: 'correct'; problems: CallProblem[] }
  /** Go on to a part of a page that is to be read, or, with null, to a turn for acting. */
  | { do: 'read'; part: ChunkPart | null }
  | { do: 'stop'; reason: StopReason };

export type Profile = 'improved' | 'reference';

/** The next turn must answer when the window is this full. */
const NEARLY_FULL = 0.85;
const SEEN = 64;

export function begin(role: AgentRole, limits: AgentLimits, profile: Profile): AgentState {
  const state: AgentState = {
    role,
    turn: 0,
    corrections: 0,
    repeats: 0,
    outages: 0,
    seen: [],
    lastTurn: null,
  };
  if (limits.rules) return beginWith(state, limits, limits.rules);
  return withLastTurn(state, limits, profile, 0);
}

/**
 * The machine that lead, subagent and single agent share. Takes what a turn amounted to and says what is next.
 * Improved profile: malformed calls are corrected up to `limits.corrections` times in a row, the last turn
 * has no tools, repetition leads to a forced answer, a nearly full window too.
 * Reference profile (spec 1.6): no calls is the final answer, whatever the reason; tools to the end.
 */
export function step(
  state: AgentState,
  facts: TurnFacts,
  limits: AgentLimits,
  profile: Profile,
): { state: AgentState; decision: Decision } {
  if (limits.rules) return stepLong(state, facts, limits, limits.rules);
  const next = { ...state, turn: state.turn + 1 };
  if (profile === 'reference') return stepReference(next, facts, limits);

  const stop = (reason: StopReason): { state: AgentState; decision: Decision } => ({
    state: next,
    decision: { do: 'stop', reason },
  });
  const silent = facts.requests.length === 0 && facts.problems.length === 0;
  if (state.lastTurn) return stop(silent && facts.answered ? state.lastTurn : worse(state.lastTurn));
  if (silent && facts.answered && !facts.truncated) return stop('answered');

  if (facts.requests.length === 0) {
    next.corrections += 1;
    if (next.corrections > limits.corrections)
      return stop(facts.truncated ? 'context_limit' : 'protocol_error');
    const problems = silent ? [emptyTurn(facts.truncated)] : facts.problems;
    return {
      state: withLastTurn(next, limits, profile, facts.contextTokens),
      decision: { do: 'correct', problems },
    };
  }

  next.corrections = 0;
  const fresh = facts.requests
    .map((request) => shortHash(signature(request)))
    .filter((hash) => !state.seen.includes(hash));
  next.repeats = fresh.length === 0 ? state.repeats + 1 : 0;
  next.seen = [...state.seen, ...fresh].slice(-SEEN);
  const { requests, problems } = facts;
  return {
    state: withLastTurn(next, limits, profile, facts.contextTokens),
    decision: { do: 'act', requests, problems },
  };
}

/** Counts outages after the tools have run; `allFailed` means that not one call of the turn was answered. */
export function afterTools(
  state: AgentState,
  allFailed: boolean,
  limits: AgentLimits,
): { state: AgentState; stop: StopReason | null } {
  const outages = allFailed ? state.outages + 1 : 0;
  return { state: { ...state, outages }, stop: outages >= limits.outages ? 'tool_outage' : null };
}

function stepReference(
  next: AgentState,
  facts: TurnFacts,
  limits: AgentLimits,
): { state: AgentState; decision: Decision } {
  const stop = (reason: StopReason): { state: AgentState; decision: Decision } => ({
    state: next,
    decision: { do: 'stop', reason },
  });
  if (facts.truncated) return stop('context_limit');
  if (facts.requests.length === 0) return stop('answered');
  // The last permitted turn still runs its tools at full cost; the loop ends before they could be used.
  const act: Decision = { do: 'act', requests: facts.requests, problems: [] };
  return { state: { ...next, lastTurn: next.turn >= limits.turns ? 'turn_limit' : null }, decision: act };
}

/** Decides whether the coming turn must answer. */
function withLastTurn(
  state: AgentState,
  limits: AgentLimits,
  profile: Profile,
  contextTokens: number,
): AgentState {
  if (profile === 'reference') return state;
  let reason: StopReason | null = null;
  if (contextTokens > limits.contextTokens * NEARLY_FULL) reason = 'context_limit';
  if (state.repeats >= limits.repeats) reason = 'no_progress';
  // An agent with one turn in all is told from the start; that is no limit it ran into.
  if (state.turn + 1 >= limits.turns) reason = limits.turns === 1 ? 'answered' : 'turn_limit';
  return { ...state, lastTurn: reason };
}

const worse = (reason: StopReason): StopReason => (reason === 'answered' ? 'protocol_error' : reason);

const emptyTurn = (truncated: boolean): CallProblem => ({
  callId: null,
  name: '',
  text: truncated
    ? 'your reply was cut because it was too long; think less and call a tool or answer'
    : 'your reply was empty; call a tool or give your final answer',
});
