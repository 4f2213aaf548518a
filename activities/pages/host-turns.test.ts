import { describe, expect, it } from 'vitest';
import { createHostTurns } from './host-turns.ts';

const signal = (): AbortSignal => new AbortController().signal;
const gate = (): { open: () => void; wait: Promise<void> } => {
  let open = (): void => undefined;
  const wait = new Promise<void>((resolve) => (open = resolve));
  return { open, wait };
};
const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 10));

describe('turns of a host', () => {
  it('runs at most so many of one host at once, and other hosts beside them', async () => {
    const inTurn = createHostTurns({ perHost: 2, delayMs: 0 });
    const running: string[] = [];
    const gates = new Map<string, ReturnType<typeof gate>>();
    const read = (host: string, name: string): Promise<string> =>
      inTurn(host, signal(), async () => {
        running.push(name);
        const own = gate();
        gates.set(name, own);
        await own.wait;
        return name;
      });
    const all = [read('a', 'a1'), read('a', 'a2'), read('a', 'a3'), read('b', 'b1')];
    await settle();
    expect(running).toEqual(['a1', 'a2', 'b1']);
    gates.get('a2')?.open();
    await settle();
    expect(running).toEqual(['a1', 'a2', 'b1', 'a3']);
    for (const one of gates.values()) one.open();
    expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'b1']);
  });

  it('pauses between two starts of one host, by its clock', async () => {
    const inTurn = createHostTurns({ perHost: 5, delayMs: 40 });
    const starts: number[] = [];
    await Promise.all([1, 2, 3].map(() => inTurn('a', signal(), async () => starts.push(performance.now()))));
    // Without pauses 0, with one pause 40; the first start may be noted late.
    expect(starts[2]! - starts[0]!).toBeGreaterThanOrEqual(60);
  });

  it('frees the turn of work that fails, and lets a waiting caller go', async () => {
    const inTurn = createHostTurns({ perHost: 1, delayMs: 0 });
    const own = gate();
    const first = inTurn('a', signal(), async () => {
      await own.wait;
      throw new Error('site down');
    });
    const stop = new AbortController();
    let ran = false;
    const second = inTurn('a', stop.signal, async () => (ran = true));
    const third = inTurn('a', signal(), async () => 'third');
    stop.abort(new Error('left'));
    await expect(second).rejects.toThrow('left');
    own.open();
    await expect(first).rejects.toThrow('site down');
    expect(await third).toBe('third');
    expect(ran).toBe(false);
  });
});
