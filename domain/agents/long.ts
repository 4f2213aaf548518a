import { shortHash } from '../ids.ts';
import type { StopReason } from '../run.ts';
import type { AgentLimits } from './limits.ts';
import type { Part, ToolResult } from './plan.ts';
import { type CallProblem, signature, type ToolRequest } from './requests.ts';
import type { AgentRules } from './rules.ts';
import { ANSWER_NOW, ASKED_BEFORE, CHECK_FIRST, CUT, NOTHING_DONE } from './remarks.ts';
import type { AgentState, Decision, TurnFacts } from './step.ts';

export type ChunkPart = Extract<Part, { kind: 'chunk' }>;

/** What a long-horizon agent remembers besides its conversation. Bounded, whatever the number of turns. */
export interface LongState {
  /** In `search` an answer is sent back for another check, in `answer` it is accepted. */
  phase: 'search' | 'answer';
  /** Searches that were answered. */
  documents: number;
  /** Tokens generated so far. */
  generated: number;
  /** Answers sent back. */
  early: number;
  /** Turns that had to answer and did not. */
  forced: number;
  /** Turns in a row that showed no page not seen before. */
  barren: number;
  /** Corrections did not help: the agent has to answer. */
  stuck: boolean;
  /** Turns without any use, for the published limit on failures. */
  failures: number;
  /** The next turn takes notes on what has just been shown. */
  reading: boolean;
  /** Parts of pages still to be read, the next one first. */
  unread: ChunkPart[];
  /** Hashes of pages seen, oldest first. */
  pages: string[];
  /** Results by hash of their request, oldest first. */
  results: [hash: string, result: ToolResult][];
}

const KEPT_RESULTS = 256;
const KEPT_PAGES = 2_000;

export const beginLong = (rules: AgentRules): LongState => ({
  phase: rules.phase === null ? 'answer' : 'search',
  documents: 0,
  generated: 0,
  early: 0,
  forced: 0,
  barren: 0,
  stuck: false,
  failures: 0,
  reading: false,
  unread: [],
  pages: [],
  results: [],
});

/** The state in which an agent with rules begins. */
export const beginWith = (state: AgentState, limits: AgentLimits, rules: AgentRules): AgentState =>
  closing({ ...state, long: beginLong(rules) }, limits, rules);

/**
 * The machine's path for agents with rules. Reading turns only take notes; an answer counts when the phase allows it
 * (spec asearcher 1.2); two turns before its limits, or without progress, the agent has to answer, and is asked
 * twice. Ends after at most `limits.turns` turns, whatever the model writes.
 */
export function stepLong(
  state: AgentState,
  facts: TurnFacts,
  limits: AgentLimits,
  rules: AgentRules,
): { state: AgentState; decision: Decision } {
  const before = state.long ?? beginLong(rules);
  const turn = state.turn + 1;
  const generated = before.generated + (facts.generated ?? 0);
  const { phase } = before;
  const long: LongState = { ...before, generated, phase: phaseAt(before, rules, turn) };
  const next: AgentState = { ...state, turn, long };
  const go = (decision: Decision): { state: AgentState; decision: Decision } => ({
    state: closing(next, limits, rules),
    decision,
  });
  const stop = (reason: StopReason): { state: AgentState; decision: Decision } => ({
    state: next,
    decision: { do: 'stop', reason },
  });
  if (rules.published && (turn >= rules.published.stopAfter || long.failures > rules.published.failures))
    return stop(facts.formed && phase === 'answer' && !before.reading ? 'answered' : 'turn_limit');

  if (before.reading) {
    const rest = facts.enough ? before.unread.slice(1) : before.unread;
    const [part = null] = rest;
    long.reading = part !== null;
    long.unread =
      part && part.part < part.parts ? [{ ...part, part: part.part + 1 }, ...rest.slice(1)] : rest.slice(1);
    const after = closing(next, limits, rules);
    // Who has to answer now reads no further.
    if (after.lastTurn) return { state: stopReading(after), decision: { do: 'read', part: null } };
    return { state: after, decision: { do: 'read', part } };
  }
  if (state.lastTurn) {
    long.forced += 1;
    if (facts.formed || long.forced >= 2 || turn >= limits.turns) return stop(state.lastTurn);
    return { state: next, decision: { do: 'correct', problems: [problem(ANSWER_NOW)] } };
  }
  if (facts.requests.length > 0) {
    next.corrections = 0;
    return go({ do: 'act', requests: facts.requests, problems: facts.problems });
  }
  if (facts.formed && !facts.truncated) {
    if (phase === 'answer') return stop('answered');
    long.early += 1;
    if (rules.earlyAnswers !== null && long.early > rules.earlyAnswers) return stop('answered');
    return go({ do: 'correct', problems: rules.earlyAnswers === null ? [] : [problem(CHECK_FIRST)] });
  }
  long.failures += 1;
  next.corrections += 1;
  const problems =
    facts.problems.length > 0 ? facts.problems : [problem(facts.truncated ? CUT : NOTHING_DONE)];
  if (next.corrections > limits.corrections && !rules.published) {
    next.corrections = 0;
    long.stuck = true;
  }
  return go({ do: 'correct', problems });
}

/**
 * Takes in what a turn's tools returned: what has to be read, what was new, what a repeated request will get.
 * `results` are in the order of `requests`; those that were reused are marked by their note.
 */
export function noteResults(
  state: AgentState,
  requests: readonly ToolRequest[],
  results: readonly ToolResult[],
  limits: AgentLimits,
): AgentState {
  const { rules } = limits;
  if (!rules || !state.long) return state;
  const long = { ...state.long };
  const known = new Map(long.results);
  const hashes = requests.map(hashOf);
  const fresh = hashes.filter((hash) => !known.has(hash));
  const seen = new Set(long.pages);
  const shown = results.flatMap((result) => result.pages ?? []);
  const unseen = [...new Set(shown)].filter((page) => !seen.has(page));
  const outage = results.every((result) => result.status === 'outage');

  long.documents += results.filter(
    (result, i) => requests[i]!.tool === 'search' && result.status !== 'outage',
  ).length;
  if (!outage) long.barren = unseen.length === 0 && !results.some(isUnread) ? long.barren + 1 : 0;
  long.phase = phaseAt(long, rules, state.turn);
  long.pages = [...long.pages, ...unseen].slice(-KEPT_PAGES);
  results.forEach((result, i) => {
    if (result.status !== 'outage' && !result.note) known.set(hashes[i]!, result);
  });
  long.results = [...known].slice(-KEPT_RESULTS);
  long.unread = results.flatMap(({ part }) =>
    rules.reads.pages && part.kind === 'chunk' && part.part < part.parts
      ? [{ ...part, part: part.part + 1 }]
      : [],
  );
  long.reading = results.some(
    (result, i) =>
      result.status === 'ok' &&
      ((rules.reads.pages && result.part.kind === 'chunk') ||
        (rules.reads.searches && requests[i]!.tool === 'search')),
  );
  const repeats = fresh.length === 0 ? state.repeats + 1 : 0;
  const after = closing({ ...state, repeats, long }, limits, rules);
  return after.lastTurn ? stopReading(after) : after;
}

/** The earlier result of a request that was made before; null: it has to be made. */
export function earlierResult(
  state: AgentState,
  request: ToolRequest,
  limits: AgentLimits,
): ToolResult | null {
  if (!limits.rules?.reuse || !state.long) return null;
  const hash = hashOf(request);
  const found = state.long.results.find(([known]) => known === hash)?.[1];
  return found ? { ...found, note: ASKED_BEFORE } : null;
}

/** The opening part of a page is new text even where its URL had been seen in a list of results. */
const isUnread = (result: ToolResult): boolean =>
  result.status === 'ok' && result.part.kind === 'chunk' && !result.note;

const hashOf = (request: ToolRequest): string => shortHash(signature(request));

const stopReading = (state: AgentState): AgentState =>
  state.long ? { ...state, long: { ...state.long, reading: false, unread: [] } } : state;

function phaseAt(long: LongState, rules: AgentRules, turn: number): LongState['phase'] {
  if (long.phase === 'answer' || rules.phase === null) return 'answer';
  return long.documents >= rules.phase.documents || turn >= rules.phase.turns ? 'answer' : 'search';
}

/** Decides whether the coming turn must answer: two turns, or three replies' tokens, before a limit. */
function closing(state: AgentState, limits: AgentLimits, rules: AgentRules): AgentState {
  if (rules.published || state.lastTurn || !state.long) return state;
  const { long } = state;
  let reason: StopReason | null = null;
  if (long.stuck || long.barren >= rules.barren || state.repeats >= limits.repeats) reason = 'no_progress';
  if (rules.generatedTokens !== null && long.generated + 3 * limits.replyTokens > rules.generatedTokens)
    reason = 'budget';
  const spare = Math.max(1, Math.min(2, limits.turns - 1));
  if (state.turn + spare >= limits.turns) reason = limits.turns === 1 ? 'answered' : 'turn_limit';
  return { ...state, lastTurn: reason };
}

const problem = (text: string): CallProblem => ({ callId: null, name: 'note', text });
