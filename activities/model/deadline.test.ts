import { describe, expect, it } from 'vitest';
import { withDeadline } from './deadline.ts';

/** Settles only when its signal aborts, with the signal's reason. */
const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    const fail = (): void => reject(signal.reason as Error);
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail);
  });

describe('withDeadline', () => {
  it('returns what the work returns, and what it throws', async () => {
    const { signal } = new AbortController();
    expect(await withDeadline(signal, 1000, async () => 7)).toBe(7);
    await expect(withDeadline(signal, 1000, () => Promise.reject(new Error('x')))).rejects.toThrow('x');
  });

  it('aborts with a TimeoutError when time is over', async () => {
    const { signal } = new AbortController();
    await expect(withDeadline(signal, 20, untilAborted)).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  it('passes on an abort of the outer signal with its reason, also one that came before', async () => {
    const controller = new AbortController();
    const work = withDeadline(controller.signal, 10_000, untilAborted);
    controller.abort(new Error('cancelled'));
    await expect(work).rejects.toThrow('cancelled');
    await expect(withDeadline(controller.signal, 10_000, untilAborted)).rejects.toThrow('cancelled');
  });

  it('does not abort after the work is done', async () => {
    const outer = new AbortController();
    let inner: AbortSignal | undefined;
    await withDeadline(outer.signal, 5, async (signal) => {
      inner = signal;
    });
    outer.abort();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(inner?.aborted).toBe(false);
  });
});
