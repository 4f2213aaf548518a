import { expect, test, vi } from 'vitest';
import { stopWhenHung } from './hung.ts';

const RULES = { everyMs: 1, patienceMs: 100, graceMs: 7 };

/** A process whose end the test decides, and a clock that moves ten milliseconds a look. */
const desk = () => {
  let end: () => void = () => undefined;
  const exited = new Promise<{ code: number | null; signal: null }>(
    (resolve) => (end = () => resolve({ code: 0, signal: null })),
  );
  const stopped: number[] = [];
  const child = {
    name: 'worker-1',
    exited,
    stop: async (graceMs: number) => {
      stopped.push(graceMs);
      end();
      return exited;
    },
  };
  let time = 0;
  return {
    child: child as unknown as Parameters<typeof stopWhenHung>[0],
    stopped,
    end,
    now: () => (time += 10),
  };
};

test('alive and never ready: stopped once, with the grace time', async () => {
  const error = vi.spyOn(console, 'error').mockReturnValue(undefined);
  const { child, stopped, now } = desk();
  await stopWhenHung(child, async () => false, RULES, now);
  expect(stopped).toEqual([7]);
  expect(String(error.mock.calls[0])).toMatch(/worker-1 lives but is not ready/);
  error.mockRestore();
});

test('a good look now and then is enough', async () => {
  const { child, stopped, end, now } = desk();
  let looks = 0;
  await stopWhenHung(
    child,
    async () => {
      looks += 1;
      if (looks === 60) end();
      return looks % 3 === 0;
    },
    RULES,
    now,
  );
  expect(looks).toBe(60);
  expect(stopped).toEqual([]);
});

test('the end of the process ends the watch', async () => {
  const { child, stopped, end, now } = desk();
  const watching = stopWhenHung(child, async () => true, { ...RULES, everyMs: 60_000 }, now);
  end();
  await watching;
  expect(stopped).toEqual([]);
});
