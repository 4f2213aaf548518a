import { setTimeout as sleep } from 'node:timers/promises';
import type { Child } from './child.ts';

export interface HungRules {
  /** Time between two looks, ms. */
  everyMs: number;
  /** Without one good look for so long the process is taken for hung, ms. */
  patienceMs: number;
  /** How long it may end by itself before it is killed, ms. */
  graceMs: number;
}

/** Long work on the event loop takes seconds, a lost server half a minute: neither is hung. */
export const HUNG_RULES: HungRules = { everyMs: 10_000, patienceMs: 180_000, graceMs: 10_000 };

/**
 * Looks at a running process and stops it when it has not been ready for too long although it lives; whoever tends it
 * starts it again. Ends with the process.
 */
export const stopWhenHung = async (
  child: Pick<Child, 'name' | 'exited' | 'stop'>,
  isReady: () => Promise<boolean>,
  rules: HungRules = HUNG_RULES,
  now: () => number = Date.now,
): Promise<void> => {
  const gone = new AbortController();
  void child.exited.then(() => gone.abort());
  let goodAt = now();
  while (!gone.signal.aborted) {
    await sleep(rules.everyMs, undefined, { signal: gone.signal, ref: false }).catch(() => undefined);
    if (gone.signal.aborted) return;
    if (await isReady()) goodAt = now();
    else if (now() - goodAt >= rules.patienceMs) {
      const seconds = Math.round((now() - goodAt) / 1000);
      console.error(
        `${new Date(now()).toISOString()} ${child.name} lives but is not ready for ${seconds} s: stopping it`,
      );
      await child.stop(rules.graceMs);
      return;
    }
  }
};
