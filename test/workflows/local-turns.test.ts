import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Conclusion } from '../../activities/run/conclude.ts';
import type { AgentReport } from '../../domain/agents/plan.ts';
import { WideseekError } from '../../domain/errors.ts';
import { seekWorkflowId, TASK_QUEUE } from '../../domain/run.ts';
import { clubModel, clubSearch, turnsTaken } from '../support/clubs.ts';
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
  }, 120_000);

  it.each([false, true])(
    'end the agent, and not its workflow, where the model fails for good (a service: %s)',
    async (remote) => {
      const broken = new WideseekError('Unauthorized', 'model: no key');
      const engine = await startEngine(server.address, {
        model: clubModel({
          clubs: 2,
          override: (request, _signal, lead) =>
            !lead && request.messages[1]!.content.includes('Club1') && turnsTaken(request) === 1
              ? Promise.reject(broken)
              : undefined,
        }),
        search: clubSearch(2),
        remote,
      });
      try {
        const name = `broken-${remote}`;
        const handle = await server.client.workflow.start('seek', {
          taskQueue: TASK_QUEUE,
          workflowId: seekWorkflowId(name),
          args: [{ question: 'Coach and stadium of every club?' }],
        });
        expect((await handle.result()) as Conclusion).toMatchObject({ rows: 1 });
        const { events } = await handle.fetchHistory();
        const reports = events!.flatMap(
          (event) =>
            event.childWorkflowExecutionCompletedEventAttributes?.workflowExecution?.workflowId ?? [],
        );
        const outcomes = await Promise.all(
          reports.map(
            async (id) => ((await server.client.workflow.getHandle(id).result()) as AgentReport).outcome,
          ),
        );
        expect(outcomes.sort()).toEqual(['answered', 'model_outage']);
      } finally {
        await engine.stop();
      }
    },
  );

  it('are dispatched for every agent where the model is a service', async () => {
    const { lead, subagent } = await dispatched('service', true);
    expect(lead).toEqual(['takeTurn', 'takeTurn', 'conclude']);
    expect(subagent).toEqual(['takeTurn', 'searchPages', 'takeTurn', 'readPage', 'takeTurn']);
  }, 120_000);
});
