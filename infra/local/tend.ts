import { setTimeout as sleep } from 'node:timers/promises';
import { describeExit, type Child, type Exit } from './child.ts';
import { restartCounter, type RestartRules } from './restarts.ts';

/** What the supervisor is told about one of its children. */
export interface Tending {
  name: string;
  /** Starts the process; resolves when it is ready, rejects when it died or took too long. */
  start: (onSpawn: (child: Child) => void) => Promise<Child>;
  onSpawn: (child: Child, restarts: number) => void;
  onReady: () => void;
  onGone: () => void;
  /** Starting it again does not help; `reason` is for people. */
  onGiveUp: (reason: string) => void;
  /** Aborted when the stack goes down: deaths are then expected. */
  halt: AbortSignal;
  rules?: RestartRules;
}

/** Runs a process and starts it again when it dies. Resolves when it is gone for good. */
export const tend = async (tending: Tending): Promise<void> => {
  const { name, halt } = tending;
  const counter = restartCounter(tending.rules);
  for (let restarts = 0; !halt.aborted; restarts++) {
    const began = Date.now();
    let exit: Exit | null = null;
    let words: string;
    try {
      const child = await tending.start((spawned) => tending.onSpawn(spawned, restarts));
      tending.onReady();
      exit = await child.exited;
      words = `${name} ended with ${describeExit(exit)}: ${child.lastWords(3)}`;
    } catch (error) {
      words = error instanceof Error ? error.message : String(error);
      // A wrong configuration or a taken port stays wrong however often we try.
      const type = (error as { type?: string }).type;
      if (type === 'ConfigError' || type === 'InvalidInput') exit = { code: 78, signal: null };
    }
    tending.onGone();
    if (halt.aborted) return;
    const verdict = counter.died(Date.now() - began, exit?.code ?? null);
    if (verdict === 'give up')
      return tending.onGiveUp(restarts > 0 ? `${words} (started ${restarts + 1} times)` : words);
    console.error(`${new Date().toISOString()} ${words}; starting it again in ${verdict.delayMs} ms`);
    await sleep(verdict.delayMs, undefined, { signal: halt }).catch(() => undefined);
  }
};
