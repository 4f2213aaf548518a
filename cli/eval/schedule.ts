import {
  type Client,
  isGrpcServiceError,
  ScheduleAlreadyRunning,
  type ScheduleDescription,
  type ScheduleHandle,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
} from '@temporalio/client';
import { invalidInput, WideseekError } from '../../domain/errors.ts';
import { TASK_QUEUE } from '../../domain/run.ts';
import type { EvaluateInput } from '../../domain/scoring/evaluation-plan.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** A nightly evaluation. */
export interface ScheduleRequest {
  name: string;
  input: EvaluateInput;
  /** Local time, `HH:MM`. */
  at: string;
  /** IANA time zone. */
  zone: string;
  /** How late a tick may be made up after the server was away. */
  catchupHours: number;
  /** Hours after which a run is ended; below the interval, so that nights never pile up. */
  timeoutHours: number;
}

export const scheduleId = (name: string): string => `eval-${name}`;

/** `HH:MM` as numbers. Throws `InvalidInput`. */
export const parseTime = (text: string): { hour: number; minute: number } => {
  const [, hour, minute] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text.trim()) ?? [];
  if (hour === undefined || minute === undefined) {
    throw invalidInput('--at', `"${text}" is not a time from 00:00 to 23:59`);
  }
  return { hour: Number(hour), minute: Number(minute) };
};

/** Throws `InvalidInput` for a zone that the IANA data base does not have. */
export const checkZone = (zone: string): string => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone && zone;
  } catch {
    throw invalidInput('--zone', `"${zone}" is not a time zone`, 'For example Europe/Berlin or UTC');
  }
};

/** Throws `InvalidInput` for a name that is not letters, digits, `_`, `.` and `-`. */
export const checkName = (name: string): string => {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(name)) return name;
  throw invalidInput('name', `"${name}" is not letters, digits, "_", "." and "-"`);
};

const offsetAt = (zone: string, date: Date): string =>
  new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' }).format(date);

/** True where a night's tick can fall into the change of clocks: it is then skipped or comes twice a year. */
export const meetsClockChange = (at: string, zone: string): boolean => {
  const { hour } = parseTime(at);
  const [winter, summer] = [0, 6].map((month) =>
    offsetAt(zone, new Date(Date.UTC(2026, month, 1)))
      .split(' ')
      .at(-1),
  );
  return hour <= 3 && winter !== summer;
};

const named = async <T>(name: string, body: () => Promise<T>): Promise<T> => {
  try {
    return await body();
  } catch (error) {
    if (error instanceof ScheduleAlreadyRunning) {
      throw invalidInput('name', `there is a schedule "${name}" already`, 'Delete it or choose another name');
    }
    if (error instanceof ScheduleNotFoundError) {
      throw new WideseekError('NotFound', `there is no schedule "${name}"`, {
        hint: '`wideseek schedule list` lists them',
      });
    }
    // Invalid argument: the server says what is wrong.
    if (isGrpcServiceError(error) && Number(error.code) === 3) throw invalidInput('schedule', error.details);
    throw error;
  }
};

/**
 * Creates a nightly schedule: one run at most waits for another (`BUFFER_ONE`), missed ticks are made up within the
 * catch-up window, and no run outlives its night. Throws `InvalidInput`.
 */
export const createSchedule = async (client: Client, request: ScheduleRequest): Promise<ScheduleHandle> => {
  const { name, input, at, zone, catchupHours, timeoutHours } = request;
  const { hour, minute } = parseTime(at);
  checkZone(zone);
  checkName(name);
  if (!(timeoutHours > 0 && timeoutHours * HOUR < DAY)) {
    throw invalidInput('--timeout-hours', `${timeoutHours} is not above 0 and below 24, the interval`);
  }
  return named(name, () =>
    client.schedule.create({
      scheduleId: scheduleId(name),
      spec: { calendars: [{ hour, minute, comment: `nightly at ${at}, ${zone}` }], timezone: zone },
      action: {
        type: 'startWorkflow',
        workflowType: 'evaluate',
        // The server appends the tick's time, so that every night has a run of its own.
        workflowId: `eval/${name}`,
        taskQueue: TASK_QUEUE,
        args: [input],
        workflowExecutionTimeout: timeoutHours * HOUR,
        staticSummary: `nightly evaluation ${input.config}`,
      },
      policies: {
        overlap: ScheduleOverlapPolicy.BUFFER_ONE,
        catchupWindow: catchupHours * HOUR,
        pauseOnFailure: false, // one bad night must not hide the next ones
      },
      memo: { config: input.config, at, zone },
    }),
  );
};

const handleOf = (client: Client, name: string): ScheduleHandle =>
  client.schedule.getHandle(scheduleId(name.replace(/^eval-/, '')));

/** What is done to one schedule; each throws `NotFound` for an unknown name. */
export const scheduleActions = {
  trigger: (client: Client, name: string) =>
    named(name, () => handleOf(client, name).trigger(ScheduleOverlapPolicy.BUFFER_ONE)),
  pause: (client: Client, name: string, note?: string) =>
    named(name, () => handleOf(client, name).pause(note)),
  resume: (client: Client, name: string, note?: string) =>
    named(name, () => handleOf(client, name).unpause(note)),
  delete: (client: Client, name: string) => named(name, () => handleOf(client, name).delete()),
};

const MAX_BACKFILL_DAYS = 366;

/** A date (its midnight in UTC) or a date and time with its zone. Throws `InvalidInput`. */
export const parseDate = (option: string, text: string): Date => {
  const known = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d))?$/.test(text);
  const date = new Date(text);
  if (known && !Number.isNaN(date.getTime())) return date;
  throw invalidInput(option, `"${text}" is not a date`, 'For example 2026-01-31 or 2026-01-31T02:00:00Z');
};

/** Runs the ticks from `start` to `end`, one after another. Throws `InvalidInput` and `NotFound`. */
export const backfillSchedule = async (
  client: Client,
  name: string,
  start: Date,
  end: Date,
): Promise<void> => {
  const days = (end.getTime() - start.getTime()) / DAY;
  if (!(days > 0 && days <= MAX_BACKFILL_DAYS)) {
    throw invalidInput('--to', `the stretch must be above 0 and at most ${MAX_BACKFILL_DAYS} days`);
  }
  await named(name, () =>
    handleOf(client, name).backfill({ start, end, overlap: ScheduleOverlapPolicy.BUFFER_ALL }),
  );
};

/** A schedule for people and for `--json`. */
export interface ScheduleView {
  name: string;
  config: string;
  at: string;
  zone: string;
  paused: boolean;
  note: string;
  next: string[];
  /** Newest first; `state` as the server has it, `unknown` where the run is forgotten. */
  recent: { scheduledAt: string; workflowId: string; state: string }[];
  running: string[];
  taken: number;
  /** Ticks that came while the server was away and were too old when it was back. */
  missed: number;
  /** Ticks that were dropped because one run was open and another waited. */
  skipped: number;
  overlap: string;
  catchupHours: number;
  timeoutHours: number | null;
  input: unknown;
}

const NEXT = 3;
const RECENT = 10;

const stateOf = async (client: Client, workflowId: string, runId: string): Promise<string> => {
  try {
    return (await client.workflow.getHandle(workflowId, runId).describe()).status.name.toLowerCase();
  } catch {
    return 'unknown';
  }
};

const viewOf = async (client: Client, description: ScheduleDescription): Promise<ScheduleView> => {
  const { memo, state, info, action, policies } = description;
  const text = (key: string): string => (typeof memo?.[key] === 'string' ? memo[key] : '');
  const newest = info.recentActions.slice(-RECENT).reverse();
  const timeout = action.workflowExecutionTimeout;
  return {
    name: description.scheduleId.replace(/^eval-/, ''),
    ...{ config: text('config'), at: text('at'), zone: text('zone') },
    paused: state.paused,
    note: state.note ?? '',
    next: info.nextActionTimes.slice(0, NEXT).map((date) => date.toISOString()),
    recent: await Promise.all(
      newest.map(async ({ scheduledAt, action: { workflow } }) => ({
        scheduledAt: scheduledAt.toISOString(),
        workflowId: workflow.workflowId,
        state: await stateOf(client, workflow.workflowId, workflow.firstExecutionRunId),
      })),
    ),
    running: info.runningActions.map(({ workflow }) => workflow.workflowId),
    taken: info.numActionsTaken,
    missed: info.numActionsMissedCatchupWindow,
    skipped: info.numActionsSkippedOverlap,
    overlap: policies.overlap ?? '',
    catchupHours: policies.catchupWindow / HOUR,
    timeoutHours: typeof timeout === 'number' ? timeout / HOUR : null,
    input: action.args?.[0] ?? null,
  };
};

/** Everything about one schedule. Throws `NotFound`. */
export const describeSchedule = async (client: Client, name: string): Promise<ScheduleView> =>
  viewOf(client, await named(name, () => handleOf(client, name).describe()));

/** All schedules of evaluations, by name. The server's list lags a little behind a change. */
export const listSchedules = async (client: Client): Promise<ScheduleView[]> => {
  const found: ScheduleView[] = [];
  for await (const { scheduleId: id, action } of client.schedule.list()) {
    if (action?.workflowType !== 'evaluate') continue;
    try {
      found.push(await describeSchedule(client, id));
    } catch (error) {
      // Deleted since it was listed.
      if (!(error instanceof WideseekError) || error.type !== 'NotFound') throw error;
    }
  }
  return found.sort((a, b) => a.name.localeCompare(b.name));
};
