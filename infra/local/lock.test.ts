import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { acquireLock, tryLock } from './lock.ts';
import { tsxCommand } from './worker-process.ts';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'wideseek-lock-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('one holder at a time, also within a process', async () => {
  const file = join(folder, 'deep', 'a.lock');
  const first = tryLock(file);
  expect(first).not.toBeNull();
  expect(tryLock(file)).toBeNull();
  expect(await acquireLock(file, 120)).toBeNull();
  first?.release();
  const second = await acquireLock(file, 0);
  expect(second).not.toBeNull();
  second?.release();
});

test('the lock of a killed process is free', async () => {
  const file = join(folder, 'a.lock');
  const { command, args } = tsxCommand('infra/local/lock.ts');
  const script = `const { tryLock } = await import(${JSON.stringify(args[2])}); globalThis.held = tryLock(${JSON.stringify(file)}); console.log('held'); setInterval(() => {}, 1000);`;
  const holder = spawn(command, [...args.slice(0, 2), '--input-type=module', '-e', script]);
  await once(holder.stdout, 'data');
  expect(tryLock(file)).toBeNull();
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  const lock = await acquireLock(file, 2_000);
  expect(lock).not.toBeNull();
  lock?.release();
});
