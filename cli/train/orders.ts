import type { Command } from 'commander';
import { invalidInput } from '../../domain/errors.ts';
import { type Cli, command } from '../command.ts';
import { EXIT } from '../exit.ts';
import { type Io, say, sayJson } from '../io.ts';
import { findRun } from '../run/find-run.ts';
import { withSession, withStore } from '../run/session.ts';
import { integer } from '../settings.ts';
import { type Order, orderTraining, trainKindOf } from './start.ts';

const RUN = 'the id of a run, or a part of it that only one run has';

const give = async (io: Io, name: string, order: Order, json?: boolean): Promise<number> => {
  const run = await withStore(io, (store) => findRun(store, name));
  if (trainKindOf(run) !== 'train')
    throw invalidInput('run', `${run.runId} does not train on rollouts`, 'Stop it: wideseek cancel');
  const said = await withSession(io, {}, (session) => orderTraining(session, run, order));
  if (json) sayJson(io, { runId: run.runId, answer: said });
  else say(io, `${run.runId}: ${said}`);
  return EXIT.ok;
};

/** `null` or `schedule`: back to the schedule. Throws `InvalidInput` for what is no rate. */
export const readRate = (text: string): number | null => {
  if (text === 'schedule' || text === 'null') return null;
  const rate = Number(text);
  if (text.trim() !== '' && Number.isFinite(rate) && rate >= 0) return rate;
  throw invalidInput('rate', `"${text}" is neither a number of at least 0 nor "schedule"`);
};

/** `wideseek train pause | resume | close | stop | lr`: what can be said to a running training. */
export const trainOrders = (io: Io, cli: Cli): Command[] => {
  const simple = (name: string, what: string, order: Order): Command =>
    command(name, what, [`wideseek train ${name} x7k2`])
      .argument('<run>', RUN)
      .option('--json', 'print exactly one JSON object on stdout')
      .action(async (run: string, { json }: { json?: boolean }) =>
        cli.done(await give(io, run, order, json)),
      );
  return [
    simple('pause', 'Let the open groups of a running training finish and start nothing new', {
      update: 'pause',
    }),
    simple('resume', 'Let a paused training go on', { update: 'resume' }),
    simple('close', 'Let the next step take the groups that are there', { update: 'closeBatchNow' }),
    command('stop', 'End a running training after a step, with its checkpoint', [
      'wideseek train stop x7k2',
      'wideseek train stop x7k2 --after 40',
    ])
      .argument('<run>', RUN)
      .option('--after <step>', 'the last step; default: the one under way', integer('--after', 0, 1_000_000))
      .option('--json', 'print exactly one JSON object on stdout')
      .action(async (run: string, { after, json }: { after?: number; json?: boolean }) =>
        cli.done(await give(io, run, { update: 'stopAfterStep', step: after }, json)),
      ),
    command('lr', 'Set the learning rate of a running training, from the next batch on', [
      'wideseek train lr x7k2 1e-6',
      'wideseek train lr x7k2 schedule',
    ])
      .argument('<run>', RUN)
      .argument('<rate>', 'a number, or "schedule" for the configured schedule', readRate)
      .option('--json', 'print exactly one JSON object on stdout')
      .action(async (run: string, rate: number | null, { json }: { json?: boolean }) =>
        cli.done(await give(io, run, { update: 'setLearningRate', rate }, json)),
      ),
  ];
};
