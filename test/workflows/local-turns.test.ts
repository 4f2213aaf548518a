import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Conclusion } from '../../activities/run/conclude.ts';
import { seekWorkflowId, TASK_QUEUE } from '../../domain/run.ts';
import { clubModel, clubSearch } from '../support/clubs.ts';
import { startEngine, startTestServer, type TestServer } from '../support/engine.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
}, 120_000);
afterAll(async () => {
  await server?.stop();
});

/** Types of the activities that the lead and its first subagent had dispatched, in their histories' order. */
async function dispatched(name: string, remote: boolean): Promise<{ lead: string[]; subagent: string[] }> {
  const engine = await startEngine(server.address, {
    model: clubModel({ clubs: 2 }),
    search: clubSearch(2),
    remote,
  });
  try {
    const handle = await server.client.workflow.start('seek', {
      taskQueue: TASK_QUEUE,
      workflowId: seekWorkflowId(name),
      args: [{ question: 'Coach and stadium of every club?' }],
    });
    const conclusion = (await handle.result()) as Conclusion;
    expect(conclusion).toMatchObject({ status: 'ok', rows: 2 });
    const read = async (workflowId: string) => {
      const { events } = await server.client.workflow.getHandle(workflowId).fetchHistory();
      return events ?? [];
    };
    const activities = (events: Awaited<ReturnType<typeof read>>): string[] =>
      events.flatMap((event) => event.activityTaskScheduledEventAttributes?.activityType?.name ?? []);
    const events = await read(seekWorkflowId(name));
    const child = events.find((event) => event.childWorkflowExecutionStartedEventAttributes)!;
    const childId = child.childWorkflowExecutionStartedEventAttributes!.workflowExecution!.workflowId!;
    return { lead: activities(events), subagent: activities(await read(childId)) };
  } finally {
    await engine.stop();
  }
}

describe('turns of an agent', () => {
  it('are dispatched for the lead alone where the model is in this process', async () => {
    const { lead, subagent } = await dispatched('in-process', false);
    expect(lead).toEqual(['takeTurn', 'takeTurn', 'conclude']);
    expect(subagent).toEqual([]);
  }, 60_000);

  it('are dispatched for every agent where the model is a service', async () => {
    const { lead, subagent } = await dispatched('service', true);
    expect(lead).toEqual(['takeTurn', 'takeTurn', 'conclude']);
    expect(subagent).toEqual(['takeTurn', 'searchPages', 'takeTurn', 'readPage', 'takeTurn']);
  }, 60_000);
});
