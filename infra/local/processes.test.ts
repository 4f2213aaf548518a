import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { identify, isAlive, ownProcess, signalProcess, stopProcess, waitForExit } from './processes.ts';

const sleeper = async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  await once(child, 'spawn');
  const id = identify(child.pid ?? 0);
  if (!id) throw new Error('the child is gone');
  return { child, id };
};

test('this process is alive, a pid that nobody has is not', () => {
  expect(isAlive(ownProcess())).toBe(true);
  expect(identify(2 ** 22 + 1)).toBeNull();
});

test('a process with the same pid and another start time is a stranger and is left alone', async () => {
  const { child, id } = await sleeper();
  const stranger = { ...id, startedAt: 'long ago' };
  expect(isAlive(stranger)).toBe(false);
  signalProcess(stranger, 'SIGKILL');
  await stopProcess(stranger, 100);
  expect(await waitForExit(id, 200)).toBe(false);
  child.kill('SIGKILL');
  expect(await waitForExit(id, 5_000)).toBe(true);
});

test('a process that ignores SIGTERM is killed after its grace', async () => {
  const child = spawn(process.execPath, [
    '-e',
    'process.on("SIGTERM", () => {}); console.log(1); setInterval(() => {}, 1000)',
  ]);
  await once(child.stdout, 'data');
  const id = identify(child.pid ?? 0);
  if (!id) throw new Error('the child is gone');
  await stopProcess(id, 200);
  expect(isAlive(id)).toBe(false);
  expect(child.signalCode ?? (await once(child, 'exit'))[1]).toBe('SIGKILL');
});
