import type { RunRecord, SeekResult } from '../../domain/run.ts';
import { type Cli, command } from '../command.ts';
import { type Io, say, sayJson, tell } from '../io.ts';
import { findRun } from '../run/find-run.ts';
import { deliver, loadResult, tellEnd } from '../run/result.ts';
import { withStore } from '../run/session.ts';
import { trainingSummary } from '../train/summary.ts';

/** A run's record and, where there is one, its stored result. */
const load = (io: Io, name: string): Promise<{ run: RunRecord; result: SeekResult | null }> =>
  withStore(io, async (store) => {
    const run = await findRun(store, name);
    const hasAnswer = run.kind === 'seek' && run.resultRef !== null;
    return { run, result: hasAnswer ? await loadResult(store, run.resultRef ?? '') : null };
  });

/** `wideseek show` */
export const showCommand = (io: Io, cli: Cli) =>
  command('show', 'Show what is known about a run and its answer', [
    'wideseek show 20261130-0615-landlocked-countries-x7k2',
    'wideseek show x7k2 --evidence',
  ])
    .argument('<run>', 'the id of a run, or a part of it that only one run has')
    .option('-e, --evidence', 'show the source of each cell')
    .option('--json', 'print exactly one JSON object on stdout')
    .action(async (name: string, options: { evidence?: boolean; json?: boolean }) => {
      const { run, result } = await load(io, name);
      if (run.kind === 'train') {
        const summary = await withStore(io, (store) => trainingSummary(store, run));
        if (options.json) sayJson(io, { run, result, training: summary.facts });
        else say(io, summary.text);
      } else if (options.json) sayJson(io, { run, result });
      else {
        tell(io, `${run.runId}: ${run.title}`);
        if (result) {
          await deliver(io, result, { evidence: options.evidence });
          tellEnd(io, result, {});
        } else {
          say(
            io,
            `${run.kind} is ${run.status}${run.stopReason ? ` (${run.stopReason})` : ''}; no result is stored.`,
          );
          if (run.status === 'running') tell(io, `Watch it: wideseek watch ${run.runId}`);
          if (run.status === 'failed') tell(io, `Try again: wideseek resume ${run.runId}`);
        }
      }
      cli.done(0);
    });
