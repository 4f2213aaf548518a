import { join } from 'node:path';
import type { Child } from './child.ts';
import { startEngine } from './engine-process.ts';
import {
  isEngineWanted,
  readEngineSpec,
  readEngineState,
  removeEngineState,
  unwantEngine,
  writeEngineState,
  type EngineState,
} from './engine-state.ts';
import { homePaths } from './home.ts';

/** How a supervisor runs a child: starts it, and starts it again when it dies. Resolves when it is gone for good. */
export type Keep = (
  start: (onSpawn: (child: Child) => void) => Promise<Child>,
  onGiveUp: (reason: string) => void,
) => Promise<void>;

/**
 * The supervisor's part in the engine: `look` starts it when somebody wants it. One that cannot be kept alive is said
 * to be `failed` and not wanted any more; the stack goes on without it.
 */
export const engineKeeper = (home: string, keep: Keep, env: NodeJS.ProcessEnv = process.env) => {
  const log = join(homePaths(home).logs, 'engine.log');
  let kept = false;
  let port: number | undefined;

  const look = (): void => {
    const spec = readEngineSpec(home);
    if (kept || spec === null || !isEngineWanted(home)) return;
    kept = true;
    let starts = 0;
    const known = readEngineState(home);
    port ??= known ? Number(new URL(known.url).port) : undefined;
    const say = (change: Pick<EngineState, 'phase' | 'url' | 'process'> & { reason?: string }): void =>
      writeEngineState(home, { reason: null, ...change, spec, restarts: Math.max(0, starts - 1), log });
    const start = async (onSpawn: (child: Child) => void): Promise<Child> => {
      starts += 1;
      const { child, url } = await startEngine({
        ...{ spec, log, env, preferredPort: port },
        onSpawn: (spawned, address) => {
          port = Number(new URL(address).port);
          say({ phase: 'starting', url: address, process: spawned.process });
          onSpawn(spawned);
        },
      });
      say({ phase: 'ready', url, process: child.process });
      return child;
    };
    const giveUp = (reason: string): void => {
      unwantEngine(home);
      say({ phase: 'failed', url: `http://127.0.0.1:${port ?? 0}`, process: null, reason });
    };
    void keep(start, giveUp).then(() => (kept = false));
  };

  return {
    look,
    /** After a clean stop of the stack nothing of the engine is left to be found. */
    forget: (): void => {
      unwantEngine(home);
      removeEngineState(home);
    },
  };
};
