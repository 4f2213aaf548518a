import { isCancellation } from '@temporalio/workflow';
import { addUsage, type Plan, type ToolResult } from '../domain/agents/plan.ts';
import type { AccessRequest } from '../domain/agents/requests.ts';
import type { Session } from './agent.ts';
import { summariserOf, summaryAttempts } from './proxies.ts';

/**
 * Has a page that was read summarised, where the run wants that. The page's own text is the result where no summary can be
 * had, whatever the reason: reading went well, and must not look like an outage.
 */
export async function summarise(
  plan: Plan,
  session: Session,
  request: AccessRequest,
  read: ToolResult,
): Promise<ToolResult> {
  if (!plan.summary || !read.source) return read;
  const { runId, planRef, language } = plan;
  const { source } = read;
  const input = { runId, planRef, language, agentId: session.agentId, request, source };
  try {
    const result = await summariserOf(plan, plan.summary).summarisePage.executeWithOptions(
      { summary: `summary of ${request.url.slice(0, 80)}` },
      [{ ...input, attempts: summaryAttempts(plan) }],
    );
    if (result.usage) session.usage = addUsage(session.usage, result.usage);
    return result;
  } catch (error) {
    if (isCancellation(error)) throw error;
    return { status: read.status, part: read.part };
  }
}
