import { relative } from 'node:path';
import { invalidInput, WideseekError } from '../../domain/errors.ts';
import { type Cli, command } from '../command.ts';
import { nest } from '../data/nest.ts';
import { EXIT } from '../exit.ts';
import { type Io, say, sayJson, tell } from '../io.ts';
import { findRun } from '../run/find-run.ts';
import { withStore } from '../run/session.ts';
import { parseSettings } from '../settings.ts';
import { launch, type LaunchOptions } from '../train/launch.ts';
import { planTraining, planText } from '../train/plan.ts';
import { checkpointOf, prepareTrain } from '../train/prepare.ts';
import { withRunOptions } from '../train/run-options.ts';
import { writeTrainReport } from '../train/report/write.ts';
import { trainOrders } from '../train/orders.ts';

interface TrainOptions extends LaunchOptions {
  set: string[];
  plan?: boolean;
  tokensPerSecond?: number;
  from?: string;
}

const positive =
  (option: string) =>
  (text: string): number => {
    const value = Number(text);
    if (Number.isFinite(value) && value > 0) return value;
    throw invalidInput(option, `"${text}" is not a number above 0`);
  };

const train = async (io: Io, config: string | undefined, options: TrainOptions): Promise<number> => {
  const set = { ...parseSettings(options.set) };
  if (options.from !== undefined) set['engine.init'] = await checkpointOf(io, options.from);
  if (options.plan) {
    if (config === undefined)
      throw invalidInput('config', 'no training is named', 'For example: wideseek train mini');
    const plan = await planTraining(io, { config, set }, options.tokensPerSecond);
    if (options.json) sayJson(io, plan);
    else say(io, planText(plan));
    return EXIT.ok;
  }
  return launch(io, 'train', { config, set }, options, async (checked) => {
    const plan = await planTraining(io, checked, options.tokensPerSecond).catch(() => null);
    if (plan) tell(io, planText(plan));
    return { input: checked, ready: await prepareTrain(io, checked) };
  });
};

const reportCommand = (io: Io, cli: Cli) =>
  command('report', 'Write the metrics and charts of a training from what is stored', [
    'wideseek train report x7k2',
  ])
    .argument('<run>', 'the id of a run, or a part of it that only one run has')
    .option('--json', 'print exactly one JSON object on stdout')
    .action(async (name: string, { json }: { json?: boolean }) => {
      const written = await withStore(io, async (store) => {
        const { runId } = await findRun(store, name);
        const report = await writeTrainReport(store, runId, io);
        if (report) return { runId, ...report };
        throw new WideseekError('NotFound', `run ${runId} has no steps yet`);
      });
      tell(
        io,
        `${written.steps} steps: ${relative(io.cwd, written.report)}, metrics.jsonl, TensorBoard events`,
      );
      if (json) sayJson(io, written);
      cli.done(EXIT.ok);
    });

/** `wideseek train` and what can be said to a training */
export const trainCommand = (io: Io, cli: Cli) => {
  const parent = withRunOptions(
    command('train', 'Train the model by reinforcement learning on its own rollouts', [
      'wideseek train mini',
      'wideseek train mini --name anew --from <run of wideseek sft mini-sft>',
      'wideseek train wideseek-r1-4b --plan',
      'wideseek train mini --set steps=20 --set agents.width=4 --detach',
      'wideseek train pause x7k2',
      'wideseek train report x7k2',
    ]).argument('[config]', 'a training in configs/train/'),
  )
    .option('--from <run>', 'start from the last checkpoint of another run, e.g. of a warm start')
    .option('--plan', 'say what the run would need, and start nothing')
    .option(
      '--tokens-per-second <n>',
      'training speed for the plan, as measured on the machine that will train',
      positive('--tokens-per-second'),
    )
    .addHelpText(
      'after',
      '\nFiles: ./wideseek-runs/<run>/ (report.html, metrics.jsonl, TensorBoard events).' +
        '\nCtrl-C cancels and keeps checkpoints and groups; twice leaves the run to itself.',
    )
    .action(async (config: string | undefined, options: TrainOptions) =>
      cli.done(await train(io, config, options)),
    );
  // `train report x --json` is an option of `report`, although `train` has one of that name.
  return nest(io, parent.enablePositionalOptions(), reportCommand(io, cli), ...trainOrders(io, cli));
};
