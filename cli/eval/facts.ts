import type { Client } from '@temporalio/client';
import pLimit from 'p-limit';
import type { AgentFacts } from './agents.ts';

/** Most subagents that are listed, and most of them whose subtask is looked up: one call each. */
const MAX_AGENTS = 20_000;
const MAX_TASKS = 1_000;
const AT_ONCE = 16;

const leadOf = (id: string): string | undefined => /^(.*?)\/t\d+\/sub\//.exec(id)?.[1];

/**
 * The subagents of an evaluation's runs by their lead's workflow id, as far as Temporal remembers them. A report without
 * them is a report, so an answer that does not come leaves them out.
 */
export const agentFacts = async (client: Client, runId: string): Promise<Map<string, AgentFacts[]>> => {
  const found = new Map<string, AgentFacts[]>();
  const prefix = `eval/${runId}/`.replace(/['\\]/g, '\\$&');
  const all: AgentFacts[] = [];
  try {
    for await (const { workflowId, status, startTime, closeTime } of client.workflow.list({
      query: `WorkflowType = 'subagent' AND WorkflowId STARTS_WITH '${prefix}'`,
    })) {
      const lead = leadOf(workflowId);
      if (lead === undefined) continue;
      const wallMs = closeTime ? closeTime.getTime() - startTime.getTime() : null;
      const fact = { id: workflowId, task: '', state: status.name.toLowerCase(), wallMs };
      found.set(lead, [...(found.get(lead) ?? []), fact]);
      all.push(fact);
      if (all.length >= MAX_AGENTS) break;
    }
    const limit = pLimit(AT_ONCE);
    await Promise.all(
      all.slice(0, MAX_TASKS).map((fact) =>
        limit(async () => {
          const description = await client.workflow.getHandle(fact.id).describe();
          fact.task = (await description.staticSummary()) ?? '';
        }),
      ),
    );
  } catch {
    return found;
  }
  return found;
};
