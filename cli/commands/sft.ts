import { type Cli, command } from '../command.ts';
import type { Io } from '../io.ts';
import { parseSettings } from '../settings.ts';
import { launch, type LaunchOptions } from '../train/launch.ts';
import { prepareSft } from '../train/prepare.ts';
import { withRunOptions } from '../train/run-options.ts';

/** `wideseek sft` */
export const sftCommand = (io: Io, cli: Cli) =>
  withRunOptions(
    command('sft', 'Train on token sequences: the warm start of a training', [
      'wideseek sft mini-sft',
      'wideseek sft warm-start --set data.file=sequences.jsonl --set engine.baseModel=mini',
    ]).argument('[config]', 'a warm start in configs/train/'),
  )
    .addHelpText(
      'after',
      '\nThe file has one {"tokens": [...], "weights": [...]} a line. What the miniature needs is made when it is missing.',
    )
    .action(async (config: string | undefined, options: LaunchOptions & { set: string[] }) => {
      const typed = { config, set: parseSettings(options.set) };
      cli.done(await launch(io, 'sft', typed, options, (input) => prepareSft(io, input)));
    });
