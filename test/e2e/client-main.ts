import { Client, Connection } from '@temporalio/client';
import { TASK_QUEUE } from '../../domain/run.ts';

/** A client of its own, to be killed: `client-main.ts <address> <type> <workflow id> <input as JSON>` starts one and waits. */
const [address, type, workflowId, input] = process.argv.slice(2);
if (!address || !type || !workflowId || !input)
  throw new Error('usage: client-main.ts <address> <type> <workflow id> <input>');
const client = new Client({ connection: await Connection.connect({ address }) });
await client.workflow.execute(type, { taskQueue: TASK_QUEUE, workflowId, args: [JSON.parse(input)] });
