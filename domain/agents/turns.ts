import type { ToolRequest } from './requests.ts';

/** Turns of one agent that called tools, and what they asked for. Plain types: workflow code imports this module. */
export interface AgentCalls {
  /** Turns with at least one subtask, search or page. */
  turns: number;
  subtasks: number;
  searches: number;
  accesses: number;
}

export const noCalls = (): AgentCalls => ({ turns: 0, subtasks: 0, searches: 0, accesses: 0 });

export const addCalls = (a: AgentCalls, b: AgentCalls): AgentCalls => ({
  turns: a.turns + b.turns,
  subtasks: a.subtasks + b.subtasks,
  searches: a.searches + b.searches,
  accesses: a.accesses + b.accesses,
});

/** Calls of one turn (spec 1.4); a question to the person is none. */
export function callsOf(requests: readonly ToolRequest[]): AgentCalls {
  const of = (tool: ToolRequest['tool']): number => requests.filter((one) => one.tool === tool).length;
  const [subtasks, searches, accesses] = [of('delegate'), of('search'), of('access')];
  return { turns: subtasks + searches + accesses > 0 ? 1 : 0, subtasks, searches, accesses };
}
