import { mkdir, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import type { WorkflowHandle } from '@temporalio/client';
import type { ChatModel } from '../../activities/model/port.ts';
import { type Progress, SEEK_HANDLERS, seekWorkflowId, TASK_QUEUE } from '../../domain/run.ts';
import { call, clubModel, clubSearch, hang, say, turnsTaken } from '../support/clubs.ts';
import { startEngine, startTestServer, type TestServer } from '../support/engine.ts';
import { JOBS, type Keep } from './jobs.ts';
import { HISTORIES, type Recording } from './recordings.ts';

/**
 * Records the histories that `replay.test.ts` replays: `npx tsx test/replay/record.ts [name …]` runs small questions, and
 * the other jobs of `jobs.ts`, on a real server and writes what the server kept of them. Names given: only these.
 *
 * A failing replay means that runs which are open during an upgrade would break. Recording again hides that, so it is
 * right only when no such run can exist: the workflow has never been released, or its change is guarded by `patched()`
 * and the recording is added beside the old ones, or a release note says that open runs must be ended first.
 * It is never right merely because the replay fails.
 */
interface Scenario {
  model: ChatModel;
  clubs: number;
  set?: Record<string, unknown>;
  /** Model and search calls on queues of their own. */
  remote?: boolean;
  /** What happens to the run from outside before it ends. */
  meanwhile?: (handle: WorkflowHandle) => Promise<void>;
  /** Workflow ids below the run's own that are kept as well, as names of further recordings. */
  child?: string;
}

const lone: ChatModel = {
  name: 'lone',
  complete: async (request) => {
    const turn = turnsTaken(request);
    if (turn === 0) return call('search', { query: 'Club0' }, 'c0');
    if (turn === 1)
      return call('access', { url: 'https://clubs.example/Club0', info_to_extract: 'coach' }, 'c1');
    return say('\\boxed{Coach 0son}');
  },
};
const patient: ChatModel = {
  name: 'patient',
  complete: async (request) => {
    const turn = turnsTaken(request);
    return turn < 12 ? call('search', { query: `Club${turn}` }, `c${turn}`) : say('\\boxed{none}');
  },
};

const SCENARIOS: Record<string, Scenario> = {
  'mas-two-delegations': {
    model: clubModel({ clubs: 4, perTurn: 2 }),
    clubs: 4,
    remote: true,
    child: 'subagent',
  },
  sa: { model: lone, clubs: 1, set: { 'agents.workflow': 'sa', answer: 'boxed' } },
  cancelled: {
    model: clubModel({
      clubs: 4,
      perTurn: 2,
      override: (request, signal, lead) => (lead && request.messages.length > 4 ? hang(signal) : undefined),
    }),
    clubs: 4,
    meanwhile: async (handle) => {
      while ((await handle.query<Progress>('progress')).rowsSoFar < 2) await sleep(100);
      await handle.executeUpdate('guide', { args: ['Prefer the site of the club'] });
      await handle.cancel();
    },
  },
  clarify: {
    model: clubModel({
      clubs: 1,
      override: (request, _signal, lead) =>
        lead && request.tools.some(({ name }) => name === 'ask_person')
          ? Promise.resolve(call('ask_person', { question: 'Men or women?', default: 'men' }))
          : undefined,
    }),
    clubs: 1,
    set: { 'clarify.seconds': 60 },
    meanwhile: async (handle) => {
      while ((await handle.query(SEEK_HANDLERS.asks)) === null) await sleep(100);
      await handle.executeUpdate(SEEK_HANDLERS.clarify, { args: ['women'] });
    },
  },
  'continued-as-new': {
    model: patient,
    clubs: 1,
    set: { 'agents.workflow': 'sa', answer: 'boxed', historyEvents: 50 },
  },
};

async function record(server: TestServer, name: string, scenario: Scenario): Promise<void> {
  const { model, clubs, remote, set = {} } = scenario;
  const engine = await startEngine(server.address, { model, search: clubSearch(clubs), remote });
  try {
    const workflowId = seekWorkflowId(name);
    const handle = await server.client.workflow.start('seek', {
      taskQueue: TASK_QUEUE,
      workflowId,
      args: [{ question: 'Coach and stadium of every club?', set }],
    });
    await scenario.meanwhile?.(handle);
    await handle.result();
    await keepChain(server, name, workflowId, handle.firstExecutionRunId);
    if (scenario.child === undefined) return;
    const query = `WideseekRun = "${name}" AND WideseekRole = "subagent"`;
    for await (const { workflowId: id } of server.client.workflow.list({ query })) {
      const history = await server.client.workflow.getHandle(id).fetchHistory();
      return await save(scenario.child, { workflowId: id, history: JSON.parse(historyToJSON(history)) });
    }
    throw new Error(`${name}: no subagent was found`);
  } finally {
    await engine.stop();
  }
}

/** The last of a chain of runs goes under the plain name, those before it are numbered. */
async function keepChain(
  server: TestServer,
  name: string,
  workflowId: string,
  firstRunId: string,
): Promise<void> {
  let runId = firstRunId;
  for (let part = 1; ; part++) {
    const history = await server.client.workflow.getHandle(workflowId, runId).fetchHistory();
    const next = history.events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
    await save(next ? `${name}-${part}` : name, {
      workflowId,
      history: JSON.parse(historyToJSON(history)),
    });
    if (!next) return;
    runId = next;
  }
}

/** As `keepChain`, of a workflow by its id alone. */
const keepIn =
  (server: TestServer): Keep =>
  async (name, workflowId) => {
    const history = await server.client.workflow.getHandle(workflowId).fetchHistory();
    const first = history.events?.[0]?.workflowExecutionStartedEventAttributes?.firstExecutionRunId;
    if (!first) throw new Error(`${workflowId}: its history does not name the first run`);
    await keepChain(server, name, workflowId, first);
  };

async function save(name: string, recording: Recording): Promise<void> {
  // Process and host names say nothing about the workflow.
  const text = JSON.stringify(
    recording,
    (key, value: unknown) => (key === 'identity' ? 'recorder' : value),
    1,
  );
  await mkdir(HISTORIES, { recursive: true });
  await writeFile(new URL(`${name}.json`, HISTORIES), text + '\n');
  console.log(`${name}: ${(recording.history.events as unknown[]).length} events`);
}

const names = process.argv.slice(2);
const known = [...Object.keys(SCENARIOS), ...Object.keys(JOBS)];
const wanted = (name: string): boolean => names.length === 0 || names.includes(name);
for (const name of names)
  if (!known.includes(name)) throw new Error(`${name}: known are ${known.join(', ')}`);
const server = await startTestServer();
try {
  for (const [name, scenario] of Object.entries(SCENARIOS))
    if (wanted(name)) await record(server, name, scenario);
  for (const [name, job] of Object.entries(JOBS)) if (wanted(name)) await job(server, keepIn(server));
} finally {
  await server.stop();
}
process.exit(0);
