import type { Client } from '@temporalio/client';

export interface HistorySize {
  workflows: number;
  events: number;
  bytes: number;
}

/** Events and bytes of a workflow's history and of its children's. */
export async function sizeOfRun(client: Client, workflowId: string): Promise<HistorySize> {
  const history = await client.workflow.getHandle(workflowId).fetchHistory();
  const children = (history.events ?? []).flatMap((event) => {
    const id = event.childWorkflowExecutionStartedEventAttributes?.workflowExecution?.workflowId;
    return id ? [id] : [];
  });
  const sizes = await Promise.all(
    [workflowId, ...children].map(async (id) => {
      const { historyLength, historySize } = await client.workflow.getHandle(id).describe();
      return { events: historyLength, bytes: historySize ?? 0 };
    }),
  );
  return {
    workflows: sizes.length,
    events: sizes.reduce((sum, { events }) => sum + events, 0),
    bytes: sizes.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}
