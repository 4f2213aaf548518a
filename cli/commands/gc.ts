import { collectGarbage } from '../../activities/retention/collect.ts';
import { wideseekHome } from '../../infra/local/home.ts';
import { type Cli, command } from '../command.ts';
import { EXIT } from '../exit.ts';
import { garbageLines, parseAge } from '../gc/text.ts';
import { weightsRemover } from '../gc/weights.ts';
import { type Io, say, sayJson } from '../io.ts';
import { type Session, withSession } from '../run/session.ts';

/** Workflows that are open now, with their start: the records of resumed runs do not say so. */
const openWorkflows = async ({ client }: Session): Promise<Map<string, number>> => {
  const open = new Map<string, number>();
  for await (const { workflowId, startTime } of client.workflow.list({
    query: 'ExecutionStatus = "Running"',
  }))
    open.set(workflowId, startTime.getTime());
  return open;
};

/** `wideseek gc` */
export const gcCommand = (io: Io, cli: Cli) =>
  command(
    'gc',
    'Remove old runs from the store, with every conversation, page, sample, rollout and checkpoint that only they need',
    ['wideseek gc --dry-run', 'wideseek gc --older-than 90d'],
  )
    .option('--older-than <age>', 'runs that ended longer ago: 30d, 12h, 4w', '30d')
    .option('--dry-run', 'only count what would go')
    .option('--json', 'print exactly one JSON object on stdout')
    .action(async (options: { olderThan: string; dryRun?: boolean; json?: boolean }) => {
      const olderThanMs = parseAge(options.olderThan);
      const dryRun = options.dryRun ?? false;
      const report = await withSession(io, {}, async (session) =>
        collectGarbage(session.store, {
          // The clock before the question: what starts meanwhile is younger than both.
          ...{ now: io.now(), olderThanMs, dryRun },
          open: await openWorkflows(session),
          removeWeights: weightsRemover(wideseekHome(io.env), io.env),
        }),
      );
      if (options.json) sayJson(io, { dryRun, ...report });
      else for (const line of garbageLines(report, options.olderThan, dryRun)) say(io, line);
      cli.done(EXIT.ok);
    });
