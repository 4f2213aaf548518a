import {
  allHandlersFinished,
  condition,
  defineQuery,
  defineUpdate,
  makeContinueAsNewFunc,
  setHandler,
  upsertMemo,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { defineSearchAttributeKey, SearchAttributeType, TypedSearchAttributes } from '@temporalio/common';
import type { AgentRole } from '../domain/agents/messages.ts';
import type { MergedTable, Plan } from '../domain/agents/plan.ts';
import { SEEK_HANDLERS } from '../domain/names.ts';
import type { AgentTurns, Clarification, Progress, SeekInput, StopReason } from '../domain/run.ts';
import type { Session } from './agent.ts';
import type { seek } from './seek.ts';

/** Everything a run knows; one plain object, so that continue-as-new carries it whole. */
export interface SeekState {
  plan: Plan;
  session: Session;
  /** Table merged from the reports so far. */
  merged: MergedTable | null;
  agents: number;
  /** Turns of finished subagents. */
  turns: number;
  /** Finished subagents, in the order of their requests. Not there in states of earlier versions. */
  agentTurns?: AgentTurns[];
  notes: string[];
  phase: Progress['phase'];
  running: { id: string; task: string; state: string; turns: number }[];
  stopReason: StopReason;
  /** Questions asked back so far, and the one that waits for its answer. Not there in states of earlier versions. */
  asked?: number;
  asks?: Clarification | null;
}

const keyword = (name: string) => defineSearchAttributeKey(name, SearchAttributeType.KEYWORD);
const RUN = keyword('WideseekRun');
const ROLE = keyword('WideseekRole');
const POLICY = keyword('WideseekPolicy');
const STOP_REASON = keyword('WideseekStopReason');
const STATUS = keyword('WideseekStatus');

/** What the UI's list can be filtered by. */
export const searchAttributes = (plan: Plan, role: AgentRole): TypedSearchAttributes =>
  new TypedSearchAttributes([
    { key: RUN, value: plan.runId },
    { key: ROLE, value: role },
    { key: POLICY, value: plan.policy.slice(0, 200) },
  ]);

export const progressQuery = defineQuery<Progress>(SEEK_HANDLERS.progress);
export const tableQuery = defineQuery<MergedTable | null>(SEEK_HANDLERS.table);
export const guideUpdate = defineUpdate<string, [string]>(SEEK_HANDLERS.guide);

const GUIDANCE_CHARS = 4_000;
const NOTES = 50;

/**
 * Takes guidance from the run's first moment on, before there is a plan; `serve` hands it to the agent. Returns the
 * list that grows.
 */
export function receiveGuidance(state: () => SeekState | undefined): string[] {
  const guidance: string[] = [];
  const receive = (text: string): string => {
    guidance.push(text.trim());
    return `will be read in turn ${(state()?.session.state.turn ?? 0) + 1}`;
  };
  const validator = (text: string): void => {
    const phase = state()?.phase;
    if (typeof text !== 'string' || text.trim() === '')
      throw new Error('guidance must be a non-empty string');
    if (text.length > GUIDANCE_CHARS)
      throw new Error(`guidance must be at most ${GUIDANCE_CHARS} characters`);
    if (phase === 'grounding' || phase === 'done') throw new Error('the run has already answered');
  };
  setHandler(guideUpdate, receive, { validator });
  return guidance;
}

/**
 * Makes a run observable and steerable: `progress` and `table` queries, search attributes.
 * `beforeTurn` hands guidance to the agent and continues as new when history has grown; `finish` marks the end.
 */
export function serve(
  state: SeekState,
  input: SeekInput,
  guidance: string[],
): { beforeTurn: () => Promise<void>; finish: (status: string) => void } {
  const { plan, session } = state;
  const next = makeContinueAsNewFunc<typeof seek>();

  upsertSearchAttributes([
    { key: RUN, value: plan.runId },
    { key: ROLE, value: session.role },
    { key: POLICY, value: plan.policy.slice(0, 200) },
  ]);
  upsertMemo({ question: input.question.slice(0, 300), policy: plan.policy });
  setHandler(progressQuery, () => progressOf(state));
  setHandler(tableQuery, () => state.merged);

  return {
    beforeTurn: async () => {
      state.notes = state.notes.slice(-NOTES);
      if (session.head !== null) {
        for (const text of guidance.splice(0)) session.inbox.push({ role: 'user', text });
      }
      const { continueAsNewSuggested, historyLength } = workflowInfo();
      if (!continueAsNewSuggested && historyLength < plan.historyEvents) return;
      await condition(allHandlersFinished);
      for (const text of guidance.splice(0)) session.inbox.push({ role: 'user', text });
      await next(input, state);
    },
    finish: (status) =>
      upsertSearchAttributes([
        { key: STOP_REASON, value: state.stopReason },
        { key: STATUS, value: status },
      ]),
  };
}

function progressOf(state: SeekState): Progress {
  const { plan, session } = state;
  return {
    runId: plan.runId,
    phase: state.phase,
    turn: session.state.turn,
    maxTurns: plan.limits[session.role].turns,
    agents: [
      { id: session.agentId, role: session.role, task: '', state: state.phase, turns: session.state.turn },
      ...state.running.map((one) => ({ ...one, role: 'subagent' as const })),
    ],
    usage: session.usage,
    rowsSoFar: state.merged?.rows ?? 0,
    notes: state.notes,
    ...(state.asks ? { asks: state.asks } : {}),
  };
}
