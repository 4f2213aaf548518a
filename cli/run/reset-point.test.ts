import { expect, test } from 'vitest';
import { type ResetEvent, resetPoint } from './reset-point.ts';

const task = (id: number): ResetEvent => ({ kind: 'task', id });
const activity = (id: number, by: number): ResetEvent => ({ kind: 'activity', id, task: by });
const child = (id: number, by: number): ResetEvent => ({ kind: 'child', id, task: by });
const failed = (work: number): ResetEvent => ({ kind: 'failed', work });
const ended = (work: number): ResetEvent => ({ kind: 'ended', work });

test('nothing was ever done: nothing to continue', () => {
  expect(resetPoint([], false)).toBeNull();
  expect(resetPoint([{ kind: 'cancelRequested', id: 2 }, task(5)], false)).toBeNull();
});

test('stopped from outside: its last task', () => {
  expect(resetPoint([task(4), activity(5, 4), task(10), activity(11, 10)], false)).toBe(10);
});

test('stopped while children were open: the task that started the first of them', () => {
  const events = [task(4), child(5, 4), ended(5), task(9), child(10, 9), child(11, 9), ended(11), task(15)];
  expect(resetPoint(events, false)).toBe(9);
});

test('failed by work: the task that ordered the last work that failed, not the one that read its failure', () => {
  const events = [
    task(4),
    activity(5, 4),
    failed(5),
    task(10),
    activity(11, 10),
    failed(11),
    task(15),
    activity(16, 15),
    task(20),
  ];
  expect(resetPoint(events, true)).toBe(10);
});

test('failed by a local activity: the task that recorded its failure', () => {
  expect(resetPoint([task(4), { kind: 'failedLocally', task: 4 }, task(9)], true)).toBe(4);
});

test('failed without failed work: the last work is done again', () => {
  expect(resetPoint([task(4), child(5, 4), ended(5), task(9)], true)).toBe(4);
  expect(resetPoint([task(4)], true)).toBe(4);
});

test('a cancel request is left out', () => {
  expect(resetPoint([task(4), task(8), { kind: 'cancelRequested', id: 9 }, task(12)], false)).toBe(8);
});
