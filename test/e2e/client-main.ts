import { Client, Connection } from '@temporalio/client';
import { seekWorkflowId, TASK_QUEUE } from '../../domain/run.ts';

/** A client of its own, to be killed: `client-main.ts <address> <run> <input as JSON>` starts a run and waits for it. */
const [address, run, input] = process.argv.slice(2);
if (!address || !run || !input) throw new Error('usage: client-main.ts <address> <run> <input>');
const client = new Client({ connection: await Connection.connect({ address }) });
await client.workflow.execute('seek', {
  taskQueue: TASK_QUEUE,
  workflowId: seekWorkflowId(run),
  args: [JSON.parse(input)],
});
