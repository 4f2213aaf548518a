import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { WideseekError } from '../../domain/errors.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/port.ts';
import { createLeases } from './lease.ts';
import type { ModelHandle, TrainingEngine } from './port.ts';

const handle: ModelHandle = { modelId: 'm', sessionId: 's' };
let store: Store;
let clock: number;
beforeEach(async () => {
  store = await openStore(':memory:');
  clock = 1_000_000;
});
afterEach(async () => {
  vi.useRealTimers();
  await store.close();
});

const leasesOf = (host = 'a') => createLeases({ store, host, now: () => clock });

/** An engine of which only heartbeats and unloading are asked. */
function watched(broken = false): { engine: TrainingEngine; calls: string[] } {
  const calls: string[] = [];
  const call = (name: string) => (given: ModelHandle) => {
    calls.push(`${name} ${given.modelId}`);
    return broken ? Promise.reject(new Error('down')) : Promise.resolve();
  };
  return {
    engine: { heartbeat: call('heartbeat'), unload: call('unload') } as unknown as TrainingEngine,
    calls,
  };
}

/** Lets seconds pass for timers and for the clock, with the store's work in between. */
async function pass(seconds: number): Promise<void> {
  for (let left = seconds; left > 0; left -= 10) {
    clock += 10_000;
    await vi.advanceTimersByTimeAsync(10_000);
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }
}

test('a host works for one run, and other hosts do not mind', async () => {
  await leasesOf().claim('one');
  await leasesOf().claim('one');
  const refused: unknown = await leasesOf()
    .claim('two')
    .catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(WideseekError);
  expect(refused).toMatchObject({
    type: 'Overloaded',
    message: expect.stringMatching(/a works for run one/) as string,
  });
  await leasesOf('b').claim('two');
});

test('a lease that nobody renews ends after a minute', async () => {
  await leasesOf().claim('one');
  clock += 59_000;
  await expect(leasesOf().claim('two')).rejects.toThrow(/one/);
  clock += 2_000;
  await leasesOf().claim('two');
  await expect(leasesOf().claim('one')).rejects.toThrow(/two/);
});

test('what is held is renewed and its session kept alive, also while the engine is down', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const leases = leasesOf();
  const { engine, calls } = watched(true);
  await leases.claim('one');
  leases.hold('one', engine, handle);
  await pass(120);
  expect(calls.length).toBeGreaterThanOrEqual(11);
  expect(new Set(calls)).toEqual(new Set(['heartbeat m']));
  await expect(leasesOf().claim('two')).rejects.toThrow(/one/);

  await leases.release('one');
  const before = calls.length;
  await pass(30);
  expect(calls.slice(before)).toEqual([]);
  await leasesOf().claim('two');
});

test('a run that asked nothing for a day is forgotten', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const leases = leasesOf();
  const { engine, calls } = watched();
  leases.hold('one', engine, handle);
  clock += 25 * 3_600_000;
  await pass(20);
  expect(calls).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});

test('giving back unloads the model even where the engine refuses, and leaves the lease of another run alone', async () => {
  const leases = leasesOf();
  const { engine, calls } = watched(true);
  await leases.claim('one');
  leases.hold('one', engine, handle);
  await leases.release('one');
  expect(calls).toEqual(['unload m']);
  await leases.claim('two');
  await leases.release('one');
  await expect(leasesOf().claim('one')).rejects.toThrow(/two/);
});
