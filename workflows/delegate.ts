import {
  CancellationScope,
  ChildWorkflowCancellationType,
  executeChild,
  isCancellation,
  ParentClosePolicy,
  TerminatedFailure,
} from '@temporalio/workflow';
import type { ToolRequest } from '../domain/agents/requests.ts';
import { addUsage, type AgentReport, noUsage, type ToolResult } from '../domain/agents/plan.ts';
import { noCalls } from '../domain/agents/turns.ts';
import { subagentId } from '../domain/ids.ts';
import { describe } from './agent.ts';
import { local } from './proxies.ts';
import { searchAttributes, type SeekState } from './seek-state.ts';
import type { subagent } from './subagent.ts';

/**
 * One delegation: a child workflow per subtask, all in parallel, one report each (spec 1.7). A subagent that fails,
 * whatever the reason, is a report that says so; its siblings go on. The reports' tables are merged into the table so far.
 */
export async function delegate(state: SeekState, requests: ToolRequest[]): Promise<ToolResult[]> {
  const { session } = state;
  const subtasks = requests.flatMap((request) => (request.tool === 'delegate' ? [request.prompt] : []));
  const turn = session.state.turn;
  state.phase = 'delegating';
  state.agents += subtasks.length;

  const reports = await Promise.all(
    subtasks.map(async (subtask, index) => {
      const id = subagentId(session.agentId, turn, index + 1, subtask);
      state.running.push({ id, task: subtask.slice(0, 160), state: 'running', turns: 0 });
      const report = await runSubagent(state, id, subtask);
      const entry = state.running.find((one) => one.id === id);
      if (entry) Object.assign(entry, { state: report.outcome, turns: report.turns });
      session.usage = addUsage(session.usage, report.usage);
      state.turns += report.turns;
      return report;
    }),
  );

  state.agentTurns?.push(
    ...reports.map(({ agentId, turns, head = null, calls = noCalls() }) => ({
      ...{ agentId, role: 'subagent' as const, startedIn: turn, turns, head, calls },
    })),
  );
  state.merged = await CancellationScope.nonCancellable(() => local.mergeReports(reports, state.merged));
  state.running = [];
  state.phase = 'thinking';
  const results = reports.map((report, index): ToolResult => {
    const outage = report.outcome === 'model_outage' || report.outcome === 'tool_outage';
    if (outage || report.outcome === 'budget')
      state.notes.push(`subagent ${index + 1} of turn ${turn}: ${report.outcome} ${report.note}`.trim());
    const status = outage && !report.reportRef ? 'outage' : 'ok';
    return { status, part: { kind: 'report', n: index + 1, prompt: subtasks[index]!, report } };
  });
  return results;
}

async function runSubagent(state: SeekState, id: string, subtask: string): Promise<AgentReport> {
  try {
    return await executeChild<typeof subagent>('subagent', {
      workflowId: id,
      args: [{ plan: state.plan, subtask }],
      parentClosePolicy: ParentClosePolicy.TERMINATE,
      cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
      typedSearchAttributes: searchAttributes(state.plan, 'subagent'),
      staticSummary: subtask.slice(0, 200),
    });
  } catch (error) {
    // A cancelled run still wants its siblings' partial reports: the loop itself ends at its next call.
    // Any other failure is the infrastructure's, never the answer's.
    const outcome = isCancellation(error) || error instanceof TerminatedFailure ? 'cancelled' : 'tool_outage';
    return { agentId: id, outcome, reportRef: null, turns: 0, usage: noUsage(), note: describe(error) };
  }
}
