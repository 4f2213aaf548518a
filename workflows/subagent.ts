import { defineQuery, isCancellation, setHandler, workflowInfo } from '@temporalio/workflow';
import type { AgentReport, Plan } from '../domain/agents/plan.ts';
import type { StopReason } from '../domain/run.ts';
import { openSession, runAgent, useTools } from './agent.ts';

export interface SubagentInput {
  plan: Plan;
  subtask: string;
}

/** Turns taken so far; the CLI's live view asks each running subagent. */
export const turnsQuery = defineQuery<number>('turns');

/** A subagent: searches and reads for one subtask in a context of its own, and reports. Never fails its lead. */
export async function subagent({ plan, subtask }: SubagentInput): Promise<AgentReport> {
  const session = openSession(plan, workflowInfo().workflowId, 'subagent', subtask);
  setHandler(turnsQuery, () => session.state.turn);

  let outcome: StopReason;
  try {
    outcome = await runAgent(plan, session, { act: (requests) => useTools(plan, session, requests) });
  } catch (error) {
    if (!isCancellation(error)) throw error;
    outcome = 'cancelled';
  }
  const { agentId, textRef, usage, note, state, head, calls } = session;
  return { agentId, outcome, reportRef: textRef, turns: state.turn, usage, note, head, calls };
}
