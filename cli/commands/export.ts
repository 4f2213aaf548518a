import { WideseekError } from '../../domain/errors.ts';
import { type Cli, command } from '../command.ts';
import { FORMATS } from '../formats/index.ts';
import type { Io } from '../io.ts';
import { findRun } from '../run/find-run.ts';
import { checkDelivery, deliver, type DeliveryOptions, loadResult } from '../run/result.ts';
import { withStore } from '../run/session.ts';

/** `wideseek export` */
export const exportCommand = (io: Io, cli: Cli) =>
  command('export', 'Write the answer of a run in another form', [
    'wideseek export x7k2 --format csv > answer.csv',
    'wideseek export x7k2 --output answer.xlsx --evidence',
  ])
    .argument('<run>', 'the id of a run, or a part of it that only one run has')
    .option(
      '-f, --format <format>',
      `${FORMATS.join(', ')}; default: by the ending of --output, else markdown`,
    )
    .option('-o, --output <file>', 'write it there instead of stdout')
    .option('-e, --evidence', 'with the source of each cell')
    .option('--json', 'print exactly one JSON object on stdout: the whole result')
    .action(async (name: string, options: DeliveryOptions) => {
      const checked = checkDelivery(options);
      const result = await withStore(io, async (store) => {
        const run = await findRun(store, name);
        if (run.resultRef !== null && run.kind === 'seek') return loadResult(store, run.resultRef);
        throw new WideseekError('NotFound', `run ${run.runId} has no answer to export: it is ${run.status}`);
      });
      const format = checked.format ?? (checked.json ? undefined : 'markdown');
      await deliver(io, result, { ...checked, format });
      cli.done(0);
    });
