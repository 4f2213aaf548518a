import { type Cli, command } from '../command.ts';
import type { Io } from '../io.ts';
import { findRun } from '../run/find-run.ts';
import { finishRun } from '../run/finish.ts';
import { withSession, withStore } from '../run/session.ts';
import { watchTraining } from '../train/end.ts';

/** `wideseek watch` */
export const watchCommand = (io: Io, cli: Cli) =>
  command('watch', 'Follow a run until it ends and print its answer', [
    'wideseek watch 20261130-0615-landlocked-countries-x7k2',
    'wideseek watch x7k2 --json',
  ])
    .argument('<run>', 'the id of a run, or a part of it that only one run has')
    .option('--json', 'print exactly one JSON object on stdout: the whole result')
    .action(async (name: string, options: { json?: boolean }) => {
      // An unknown run is said before a server is started for it.
      const run = await withStore(io, (store) => findRun(store, name));
      cli.done(
        await withSession(io, {}, (session) =>
          run.kind === 'train'
            ? watchTraining(io, session, run, options)
            : finishRun(io, session, run, { ...options, save: false }),
        ),
      );
    });
