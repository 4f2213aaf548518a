import type { Client } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openStore } from '../../activities/store/open.ts';
import type { Store } from '../../activities/store/port.ts';
import { TASK_QUEUE } from '../../domain/run.ts';
import { installRuntime, startTestServer, type TestServer } from '../../test/support/engine.ts';
import {
  backfillSchedule,
  checkZone,
  createSchedule,
  describeSchedule,
  listSchedules,
  meetsClockChange,
  parseDate,
  parseTime,
  scheduleActions,
  type ScheduleRequest,
  type ScheduleView,
} from './schedule.ts';
import { scheduleList, scheduleText } from './schedule-text.ts';
import { createFakeActivities, fakeWorkflowsPath } from './testing/fake-worker.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 180_000 });

let server: TestServer;
let client: Client;
let store: Store;
let worker: Worker;
let running: Promise<void>;

beforeAll(async () => {
  installRuntime();
  server = await startTestServer();
  client = server.client;
  store = await openStore('sqlite::memory:');
  worker = await Worker.create({
    connection: await NativeConnection.connect({ address: server.address }),
    ...{ taskQueue: TASK_QUEUE, workflowsPath: fakeWorkflowsPath, activities: createFakeActivities(store) },
  });
  running = worker.run();
});
afterAll(async () => {
  worker.shutdown();
  await running;
  await store.close();
  await server.stop();
});

const request = (name: string, change: Partial<ScheduleRequest> = {}): ScheduleRequest => ({
  ...{ name, at: '02:00', zone: 'Europe/Berlin', catchupHours: 12, timeoutHours: 20 },
  input: { config: 'sample', set: { samples: 1 }, gate: { tolerance: 0 } },
  ...change,
});

const eventually = async (
  name: string,
  condition: (view: ScheduleView) => boolean,
): Promise<ScheduleView> => {
  for (let n = 0; n < 200; n += 1) {
    const view = await describeSchedule(client, name);
    if (condition(view)) return view;
    await sleep(250);
  }
  throw new Error(`${name}: ${JSON.stringify(await describeSchedule(client, name))}`);
};
const ended = (count: number) => (view: ScheduleView) =>
  view.recent.filter(({ state }) => state !== 'running').length >= count;

test('a created schedule is nightly in its zone, overlaps by one, and ends its runs before the next', async () => {
  await createSchedule(client, request('fresh'));
  const view = await describeSchedule(client, 'fresh');
  expect(view).toMatchObject({
    ...{ config: 'sample', at: '02:00', zone: 'Europe/Berlin', paused: false, overlap: 'BUFFER_ONE' },
    ...{ catchupHours: 12, timeoutHours: 20, missed: 0, skipped: 0, taken: 0 },
    input: { config: 'sample', gate: { tolerance: 0 } },
  });
  const local = new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Berlin', timeStyle: 'short' });
  expect(view.next.map((iso) => local.format(new Date(iso)))).toEqual(['02:00', '02:00', '02:00']);
  await expect(createSchedule(client, request('fresh'))).rejects.toThrow(
    'there is a schedule "fresh" already',
  );
});

test('triggered, it runs the evaluation, which stores its samples under a run of its own', async () => {
  await createSchedule(client, request('triggered'));
  await scheduleActions.trigger(client, 'triggered');
  const view = await eventually('triggered', ended(1));
  expect(view.recent[0]).toMatchObject({ state: 'completed' });
  const id = view.recent[0]?.workflowId ?? '';
  expect(id).toMatch(/^eval\/triggered-\d{4}-\d\d-\d\dT/);
  expect(await store.documents.get('evaluations', id.replace('eval/', ''))).toMatchObject({
    config: 'sample',
  });
});

test('an incomplete run ends as failed, which the list shows', async () => {
  await createSchedule(
    client,
    request('gated', { input: { config: 'sample', limit: 7, gate: { tolerance: 0 } } }),
  );
  await scheduleActions.trigger(client, 'gated');
  const view = await eventually('gated', ended(1));
  expect(view.recent[0]?.state).toBe('failed');
  expect(scheduleText(view, () => 'http://ui/page')).toMatch(/failed\s+eval\/gated.*http:\/\/ui\/page/);
});

test('paused and resumed', async () => {
  await createSchedule(client, request('paused'));
  await scheduleActions.pause(client, 'paused', 'holidays');
  expect(await describeSchedule(client, 'paused')).toMatchObject({ paused: true, note: 'holidays' });
  await scheduleActions.resume(client, 'paused');
  expect(await describeSchedule(client, 'paused')).toMatchObject({ paused: false });
});

test('a backfill runs each night of its stretch, one after another', async () => {
  await createSchedule(client, request('filled', { zone: 'UTC' }));
  await backfillSchedule(
    client,
    'filled',
    new Date('2026-01-01T00:00:00Z'),
    new Date('2026-01-04T00:00:00Z'),
  );
  const view = await eventually('filled', ended(3));
  expect(view.recent.map(({ scheduledAt }) => scheduledAt).sort()).toEqual(
    ['01', '02', '03'].map((day) => `2026-01-${day}T02:00:00.000Z`),
  );
  const many = backfillSchedule(client, 'filled', new Date('2020-01-01'), new Date('2026-01-01'));
  await expect(many).rejects.toThrow('at most 366 days');
});

test('deleted, it is gone from the list and unknown', async () => {
  await createSchedule(client, request('gone'));
  await scheduleActions.delete(client, 'gone');
  await expect(describeSchedule(client, 'gone')).rejects.toThrow('there is no schedule "gone"');
  await expect(scheduleActions.trigger(client, 'gone')).rejects.toThrow('there is no schedule "gone"');
  const deadline = Date.now() + 30_000;
  let names: string[] = [];
  while (Date.now() < deadline && !(names.includes('fresh') && !names.includes('gone'))) {
    names = (await listSchedules(client)).map(({ name }) => name);
    await sleep(300);
  }
  expect(names).toContain('fresh');
  expect(names).not.toContain('gone');
});

describe('what cannot work is said before anything is created', () => {
  test.each([
    [{ at: '24:00' }, '--at: "24:00" is not a time'],
    [{ at: '2' }, '--at: "2" is not a time'],
    [{ zone: 'Mars/Base' }, '--zone: "Mars/Base" is not a time zone'],
    [{ timeoutHours: 24 }, '--timeout-hours: 24 is not above 0 and below 24'],
    [{ name: 'a b/c' }, 'name: "a b/c" is not letters'],
  ])('%j', async (change, message) => {
    await expect(createSchedule(client, request('bad', change))).rejects.toThrow(message);
  });
});

test('times, zones and dates', () => {
  expect(parseTime('7:05')).toEqual({ hour: 7, minute: 5 });
  expect(checkZone('Asia/Shanghai')).toBe('Asia/Shanghai');
  expect(parseDate('--from', '2026-01-31').toISOString()).toBe('2026-01-31T00:00:00.000Z');
  expect(() => parseDate('--from', 'tomorrow')).toThrow('--from: "tomorrow" is not a date');
  expect(meetsClockChange('02:00', 'Europe/Berlin')).toBe(true);
  expect(meetsClockChange('04:00', 'Europe/Berlin')).toBe(false);
  expect(meetsClockChange('02:00', 'UTC')).toBe(false);
});

test('missed and skipped ticks are reported in the list and in the description', () => {
  const view: ScheduleView = {
    ...{
      name: 'n',
      config: 'sample',
      at: '02:00',
      zone: 'UTC',
      paused: false,
      note: '',
      next: [],
      recent: [],
    },
    ...{
      running: [],
      taken: 4,
      missed: 2,
      skipped: 1,
      overlap: 'BUFFER_ONE',
      catchupHours: 12,
      timeoutHours: 20,
    },
    input: {},
  };
  expect(scheduleList([view])).toContain('2 missed, 1 skipped');
  expect(scheduleText(view, () => null)).toMatch(/MISSED: 2 ticks[\s\S]*SKIPPED: 1 ticks/);
  expect(scheduleList([{ ...view, missed: 0, skipped: 0 }])).toContain('none');
});
