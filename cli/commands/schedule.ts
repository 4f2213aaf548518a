import { loadEvalConfig } from '../../configs/eval-schema.ts';
import { invalidInput } from '../../domain/errors.ts';
import { type Cli, command } from '../command.ts';
import { nest } from '../data/nest.ts';
import {
  backfillSchedule,
  checkZone,
  createSchedule,
  describeSchedule,
  listSchedules,
  meetsClockChange,
  parseDate,
  scheduleActions,
} from '../eval/schedule.ts';
import { scheduleList, scheduleText } from '../eval/schedule-text.ts';
import { checkEvaluateInput } from '../eval/start.ts';
import { type Io, say, sayJson, tell } from '../io.ts';
import { type Session, withSession } from '../run/session.ts';
import { collect, integer, parseSettings } from '../settings.ts';

interface CreateOptions {
  at: string;
  zone: string;
  set: string[];
  limit?: number;
  samples?: number;
  gate: boolean;
  tolerance: number;
  catchupHours: number;
  timeoutHours: number;
  webhook?: string;
  json?: boolean;
}

const share = (text: string): number => {
  const value = Number(text);
  if (text.trim() !== '' && value >= 0 && value <= 1) return value;
  throw invalidInput('--tolerance', `"${text}" is not a number from 0 to 1`);
};

const inputOf = (config: string, options: CreateOptions) => {
  const { samples, limit, webhook, gate, tolerance } = options;
  if (!gate && webhook !== undefined) {
    throw invalidInput('--no-gate', 'without the gate nobody is told');
  }
  return checkEvaluateInput({
    config,
    // A night that is backfilled after it was cut short goes on where it was.
    resume: true,
    set: {
      ...parseSettings(options.set),
      ...(samples === undefined ? {} : { samples }),
      ...(webhook === undefined ? {} : { 'notify.webhook': webhook }),
    },
    ...(limit === undefined ? {} : { limit }),
    ...(gate ? { gate: { tolerance } } : {}),
  });
};

const createCommand = (io: Io, cli: Cli) =>
  command('create', 'Evaluate every night and say when the model got worse', [
    'wideseek schedule create nightly sample --at 02:00 --zone Europe/Berlin',
    'wideseek schedule create nightly sample --webhook https://hooks.example.org/eval',
  ])
    .argument('<name>', 'name of the schedule; its runs are eval/<name>-<time>')
    .argument('<config>', 'an evaluation in configs/eval/')
    .option('--at <time>', 'local time of day, HH:MM', '02:00')
    .option('--zone <zone>', 'IANA time zone', 'UTC')
    .option('-s, --set <key=value>', 'override one setting; repeatable', collect, [] as string[])
    .option('-n, --limit <n>', 'only the first questions', integer('--limit', 1, 1_000_000))
    .option('-k, --samples <n>', 'answers per question', integer('--samples', 1, 64))
    .option('--no-gate', 'do not compare with the last good run')
    .option('--tolerance <share>', 'drop of the score that is tolerated, from 0 to 1', share, 0)
    .option(
      '--catchup-hours <n>',
      'make up ticks that are at most this late',
      integer('--catchup-hours', 1, 720),
      12,
    )
    .option('--timeout-hours <n>', 'end a run after this long', integer('--timeout-hours', 1, 23), 20)
    .option('--webhook <url>', 'called by the worker when a run is worse or incomplete')
    .option('--json', 'print exactly one JSON object on stdout')
    .action(async (name: string, config: string, options: CreateOptions) => {
      const input = inputOf(config, options);
      await loadEvalConfig(config, input.set);
      const { at, catchupHours, timeoutHours } = options;
      const zone = checkZone(options.zone);
      await withSession(io, { keep: true }, async ({ client }) => {
        await createSchedule(client, { name, input, at, zone, catchupHours, timeoutHours });
        const view = await describeSchedule(client, name);
        if (options.json) sayJson(io, view);
        else
          say(
            io,
            scheduleText(view, () => null),
          );
      });
      tell(
        io,
        'It ticks while the server runs; what the server sleeps through is made up within the catch-up window.',
      );
      if (meetsClockChange(at, zone)) {
        tell(
          io,
          `! When the clocks change in ${zone}, a tick at ${at} may be skipped or come twice. 04:00 never is.`,
        );
      }
      cli.done(0);
    });

/** A command on one schedule that does something and says one line. */
const oneCommand = (
  io: Io,
  cli: Cli,
  [name, description]: readonly [string, string],
  act: (session: Session, schedule: string) => Promise<string>,
) =>
  command(name, description, [`wideseek schedule ${name} nightly`])
    .argument('<name>', 'name of the schedule')
    .option('--json', 'print exactly one JSON object on stdout')
    .action(async (schedule: string, { json }: { json?: boolean }) => {
      const done = await withSession(io, {}, (session) => act(session, schedule));
      if (json) sayJson(io, { schedule, done });
      else say(io, done);
      cli.done(0);
    });

const listCommand = (io: Io, cli: Cli) =>
  command('list', 'List the schedules, with ticks that were missed', ['wideseek schedule list --json'])
    .option('--json', 'print exactly one JSON object on stdout')
    .action(async ({ json }: { json?: boolean }) => {
      const schedules = await withSession(io, {}, ({ client }) => listSchedules(client));
      if (json) sayJson(io, { schedules });
      else if (schedules.length === 0)
        say(io, 'No schedules yet. Make one: wideseek schedule create nightly sample');
      else say(io, scheduleList(schedules));
      cli.done(0);
    });

const describeCommand = (io: Io, cli: Cli) =>
  command('describe', 'Show one schedule: next ticks, recent runs, missed ticks', [
    'wideseek schedule describe nightly',
  ])
    .argument('<name>', 'name of the schedule')
    .option('--json', 'print exactly one JSON object on stdout')
    .action(async (name: string, { json }: { json?: boolean }) => {
      await withSession(io, {}, async (session) => {
        const view = await describeSchedule(session.client, name);
        if (json) sayJson(io, view);
        else
          say(
            io,
            scheduleText(view, (workflowId) => session.pageOf(workflowId)),
          );
      });
      cli.done(0);
    });

const backfillCommand = (io: Io, cli: Cli) =>
  command('backfill', 'Run the ticks of a stretch of time now, one after another', [
    'wideseek schedule backfill nightly --from 2026-01-01 --to 2026-01-05',
  ])
    .argument('<name>', 'name of the schedule')
    .requiredOption('--from <date>', 'a date (midnight UTC), or a time such as 2026-01-31T02:00:00Z')
    .requiredOption('--to <date>', 'the end, likewise')
    .option('--json', 'print exactly one JSON object on stdout')
    .action(async (name: string, { from, to, json }: { from: string; to: string; json?: boolean }) => {
      const [start, end] = [parseDate('--from', from), parseDate('--to', to)];
      await withSession(io, {}, ({ client }) => backfillSchedule(client, name, start, end));
      if (json) sayJson(io, { schedule: name, from: start, to: end });
      else say(io, `The ticks from ${from} to ${to} run one after another.`);
      cli.done(0);
    });

/** `wideseek schedule` */
export const scheduleCommand = (io: Io, cli: Cli) => {
  const parent = command('schedule', 'Evaluate every night, on a schedule of the Temporal server', [
    'wideseek schedule create nightly sample --at 02:00 --zone Europe/Berlin',
    'wideseek schedule list',
  ]);
  return nest(
    io,
    parent,
    createCommand(io, cli),
    listCommand(io, cli),
    describeCommand(io, cli),
    oneCommand(io, cli, ['trigger', 'Run it now as well'], async ({ client }, name) => {
      await scheduleActions.trigger(client, name);
      return `Triggered ${name}. See: wideseek schedule describe ${name}`;
    }),
    oneCommand(io, cli, ['pause', 'Take no ticks until it is resumed'], async ({ client }, name) => {
      await scheduleActions.pause(client, name, 'paused with wideseek schedule pause');
      return `Paused ${name}.`;
    }),
    oneCommand(io, cli, ['resume', 'Take ticks again'], async ({ client }, name) => {
      await scheduleActions.resume(client, name, '');
      return `${name} goes on.`;
    }),
    backfillCommand(io, cli),
    oneCommand(io, cli, ['delete', 'Forget the schedule; its runs stay'], async ({ client }, name) => {
      await scheduleActions.delete(client, name);
      return `Deleted ${name}.`;
    }),
  );
};
