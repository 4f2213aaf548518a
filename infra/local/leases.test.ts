import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { addLease, liveLeases } from './leases.ts';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'wideseek-leases-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('each lease counts until it is taken back', () => {
  const drops = [addLease(folder), addLease(folder)];
  expect(liveLeases(folder)).toBe(2);
  drops[0]?.();
  expect(liveLeases(folder)).toBe(1);
  drops[1]?.();
  expect(liveLeases(folder)).toBe(0);
});

test('leases of dead processes and of strangers with their pid are dropped', () => {
  writeFileSync(join(folder, '4194305-1.json'), JSON.stringify({ pid: 4194305, startedAt: 'x' }));
  writeFileSync(join(folder, `${process.pid}-9.json`), JSON.stringify({ pid: process.pid, startedAt: 'x' }));
  writeFileSync(join(folder, '4194306-1.json'), '{"pid":');
  expect(liveLeases(folder)).toBe(0);
  expect(readdirSync(folder)).toEqual([]);
});

test('a lease that is being written by a living process counts', () => {
  writeFileSync(join(folder, `${process.pid}-3.json`), '');
  expect(liveLeases(folder)).toBe(1);
});

test('no folder, no leases', () => {
  expect(liveLeases(join(folder, 'missing'))).toBe(0);
});
