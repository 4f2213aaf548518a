import type { Command } from 'commander';
import { collect } from '../settings.ts';

/** Options that `train`, `sft` and `rollout` share. */
export const withRunOptions = (made: Command): Command =>
  made
    .option(
      '-s, --set <key=value>',
      'override one setting of the training or its agents; repeatable',
      collect,
      [] as string[],
    )
    .option('-r, --resume <run>', 'go on with a run that stopped')
    .option('--name <run>', 'the run’s name; default: time and configuration')
    .option('--json', 'print exactly one JSON object on stdout')
    .option('--keep', 'leave server, worker and engine running afterwards')
    .option('--detach', 'start the run and return at once (implies --keep)');
