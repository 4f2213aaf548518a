import { resolve } from 'node:path';
import { exportGroups } from '../../activities/trainer/export.ts';
import { invalidInput } from '../../domain/errors.ts';
import { type Cli, command } from '../command.ts';
import { draft } from '../eval/files.ts';
import { EXIT } from '../exit.ts';
import { type Io, tell } from '../io.ts';
import { findRun } from '../run/find-run.ts';
import { withStore } from '../run/session.ts';
import { parseSettings } from '../settings.ts';
import { launch, type LaunchOptions } from '../train/launch.ts';
import { prepareRollout } from '../train/prepare.ts';
import { withRunOptions } from '../train/run-options.ts';

interface RolloutOptions extends LaunchOptions {
  set: string[];
  out?: string;
  export?: string;
}

/** Writes a run's groups with all tokens, one JSON line each; the file appears whole. Returns how many. */
export const exportRun = (io: Io, runId: string, out: string): Promise<number> =>
  withStore(io, async (store) => {
    const file = await draft(resolve(io.cwd, out));
    try {
      let lines = 0;
      for await (const line of exportGroups(store, runId)) {
        await file.write(`${line}\n`);
        lines += 1;
      }
      await file.finish();
      return lines;
    } finally {
      await file.discard();
    }
  });

/** `wideseek rollout` */
export const rolloutCommand = (io: Io, cli: Cli) =>
  withRunOptions(
    command('rollout', 'Collect groups of rollouts with their exact tokens, and train on nothing', [
      'wideseek rollout collect --out rollouts.jsonl',
      'wideseek rollout collect --set from=<train run> --set groups=20 --out rollouts.jsonl',
      'wideseek rollout --export x7k2 --out rollouts.jsonl',
    ]).argument('[config]', 'a collection in configs/train/'),
  )
    .option('-o, --out <file>', 'write the groups there as JSON Lines when they are collected')
    .option('--export <run>', 'only write what a run (a training, too) has stored')
    .action(async (config: string | undefined, options: RolloutOptions) => {
      const { out } = options;
      if (options.export !== undefined) {
        if (out === undefined) throw invalidInput('--out', 'is missing', 'Name the file to write');
        const wanted = options.export;
        const { runId } = await withStore(io, (store) => findRun(store, wanted));
        tell(io, `${await exportRun(io, runId, out)} groups of ${runId} in ${out}`);
        return cli.done(EXIT.ok);
      }
      const set = parseSettings(options.set);
      const status = await launch(
        io,
        'rollout',
        { config, set },
        options,
        async (input) => ({ input, ready: await prepareRollout(io, input) }),
        async (runId) => {
          if (out === undefined) tell(io, `Write them: wideseek rollout --export ${runId} --out FILE.jsonl`);
          else tell(io, `${await exportRun(io, runId, out)} groups in ${out}`);
        },
      );
      cli.done(status);
    });
