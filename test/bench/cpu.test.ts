import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { meterCpu, parseMachineStat, parseProcessStat, processCpu } from './cpu.ts';

describe('reading /proc', () => {
  it('finds user and system time behind a name with spaces and parentheses', () => {
    const rest = 'S 1 42 42 0 -1 4194560 100 0 0 0 250 50 7 8 20 0 11 0 999 1000 200';
    expect(parseProcessStat(`42 (a (b) c) ${rest}`)).toBe(3);
  });

  it('counts everything but idle and disk waits', () => {
    expect(parseMachineStat('cpu  100 20 30 9999 8888 4 5 41 0 0\ncpu0 1 1 1 1')).toBe(2);
  });

  it('says 0 for a process that is gone', () => {
    expect(processCpu(2 ** 30)).toBe(0);
  });
});

it('counts the work of this process and of another one', async () => {
  const busy = 'const end = Date.now() + 60_000; while (Date.now() < end);';
  const child = spawn(process.execPath, ['-e', busy]);
  await once(child, 'spawn');
  const stop = meterCpu({ other: child.pid! });
  const before = process.cpuUsage();
  while (process.cpuUsage(before).user < 100_000 || processCpu(child.pid!) < 0.1)
    await new Promise((resolve) => setImmediate(resolve));
  const use = stop();
  child.kill('SIGKILL');
  expect(use.seconds.driver).toBeGreaterThan(0.09);
  expect(use.seconds.other).toBeGreaterThan(0.05);
  expect(use.wallMs).toBeGreaterThan(50);
  expect(use.othersCores).toBeGreaterThanOrEqual(0);
});
