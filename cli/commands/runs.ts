import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { Client as TemporalClient } from '@temporalio/client';
import type { RunRecord } from '../../domain/run.ts';
import { connect, namespaceOf } from '../../infra/local/connect.ts';
import { wideseekHome } from '../../infra/local/home.ts';
import { runningStack } from '../../infra/local/stack.ts';
import { type Cli, command } from '../command.ts';
import { type Io, say, sayJson } from '../io.ts';
import { fit } from '../progress/lines.ts';
import { withStore } from '../run/session.ts';
import { integer } from '../settings.ts';

type Line = RunRecord & { state: string };

/** A client where a server runs already; null where none does: listing runs starts nothing. */
const clientIfUp = async (io: Io): Promise<Client | null> => {
  const address = io.env.TEMPORAL_ADDRESS || runningStack(wideseekHome(io.env))?.address;
  if (!address) return null;
  try {
    const connection = await connect(address, { env: io.env, timeoutMs: 2_000 });
    return new TemporalClient({ connection, namespace: namespaceOf(io.env) });
  } catch {
    return null;
  }
};

/** What the server says about a run that the store believes to be running. */
const liveState = async (client: Client | null, run: RunRecord): Promise<string> => {
  if (run.status !== 'running') return run.status;
  if (!client) return 'paused'; // no server, so nothing moves; it goes on when one is up
  try {
    const { status } = await client.workflow.getHandle(run.workflowId).describe();
    return status.name === 'RUNNING' ? 'running' : status.name.toLowerCase();
  } catch (error) {
    return error instanceof WorkflowNotFoundError ? 'lost' : 'unknown';
  }
};

const when = (ms: number): string => new Date(ms).toISOString().slice(0, 16).replace('T', ' ');

const table = (lines: readonly Line[], width: number): string => {
  const idWidth = Math.max(3, ...lines.map(({ runId }) => runId.length));
  const row = (id: string, started: string, state: string, title: string): string =>
    fit(`${id.padEnd(idWidth)}  ${started.padEnd(16)}  ${state.padEnd(10)}  ${title}`, width);
  return [
    row('run', 'started (UTC)', 'state', 'question'),
    ...lines.map((line) => row(line.runId, when(line.startedAt), line.state, line.title)),
  ].join('\n');
};

/** `wideseek runs` */
export const runsCommand = (io: Io, cli: Cli) =>
  command('runs', 'List runs, newest first', ['wideseek runs', 'wideseek runs --limit 5 --json'])
    .option('-n, --limit <n>', 'how many', integer('--limit', 1, 10_000), 20)
    .option('--json', 'print exactly one JSON object on stdout')
    .action(async ({ limit, json }: { limit: number; json?: boolean }) => {
      const lines = await withStore(io, async (store): Promise<Line[]> => {
        const runs = await store.runs.list(limit);
        const client = await clientIfUp(io);
        try {
          return await Promise.all(
            runs.map(async (run) => ({ ...run, state: await liveState(client, run) })),
          );
        } finally {
          await client?.connection.close();
        }
      });
      if (json) sayJson(io, { runs: lines });
      else if (lines.length === 0) say(io, 'No runs yet. Ask something: wideseek ask "…"');
      else say(io, table(lines, io.stdout.isTTY ? io.stdout.columns : 1_000));
      cli.done(0);
    });
