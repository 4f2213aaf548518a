import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WideseekError } from '../../domain/errors.ts';
import { ensureEnginePython } from './engine-python.ts';
import {
  type EngineSpec,
  enginePaths,
  isEngineWanted,
  readEngineSpec,
  readEngineState,
  removeEngineState,
  runningEngine,
  unwantEngine,
  wantEngine,
} from './engine-state.ts';
import { runningStack } from './stack.ts';

const START_MS = 15 * 60_000;

export interface EngineOptions {
  home: string;
  env: NodeJS.ProcessEnv;
  /** The same replies whatever company a request has; slower. */
  deterministic?: boolean;
  onStatus?: (line: string) => void;
  timeoutMs?: number;
}

/** Where the engine's base models are, one folder each: `WIDESEEK_MODELS`, else `models` in the home. */
export const modelsDir = (home: string, env: NodeJS.ProcessEnv): string =>
  env.WIDESEEK_MODELS ? resolve(env.WIDESEEK_MODELS) : join(home, 'models');

/** How the local engine of this home is started, its Python made ready. Throws as `ensureEnginePython`. */
export const prepareEngine = async (options: EngineOptions): Promise<EngineSpec> => ({
  python: await ensureEnginePython(options),
  models: modelsDir(options.home, options.env),
  checkpoints: enginePaths(options.home).checkpoints,
  cache: enginePaths(options.home).cache,
  deterministic: options.deterministic ?? false,
});

/**
 * Makes sure that the local engine works, as a child of the running stack's supervisor: it is started again when it
 * dies and stops with the stack. Returns its address. `WIDESEEK_ENGINE_URL` names another engine, which is then left
 * alone. Throws as `ensureEnginePython`, `Overloaded` with its last words where it cannot be kept alive or no stack
 * runs, `Timeout`.
 */
export const ensureEngine = async (options: EngineOptions, prepared?: EngineSpec): Promise<string> => {
  const { home, env, onStatus } = options;
  if (env.WIDESEEK_ENGINE_URL) return env.WIDESEEK_ENGINE_URL;
  const running = runningEngine(home);
  const spec = prepared ?? (await prepareEngine(options));
  if (running) {
    if (JSON.stringify(running.spec) !== JSON.stringify(spec))
      onStatus?.('! The running engine was started with other options; `wideseek down` first to use yours.');
    return running.url;
  }
  if (!runningStack(home))
    throw new WideseekError('Overloaded', 'the training engine runs under the local stack, and none is up', {
      hint: 'Start it: wideseek up',
    });
  if (readEngineState(home)?.phase === 'failed') removeEngineState(home);
  onStatus?.('Starting the training engine …');
  wantEngine(home, spec);
  for (const end = Date.now() + (options.timeoutMs ?? START_MS); ; await sleep(100)) {
    const ready = runningEngine(home);
    if (ready) return ready.url;
    const state = readEngineState(home);
    if (state?.phase === 'failed')
      throw new WideseekError('Overloaded', `the training engine does not run: ${state.reason ?? ''}`, {
        hint: `Its log is ${state.log}`,
      });
    if (Date.now() > end)
      throw new WideseekError('Timeout', 'the training engine was not ready in time', {
        hint: state ? `Its log is ${state.log}` : `Is the supervisor of ${home} older than this command?`,
      });
    if (!runningStack(home)) {
      unwantEngine(home);
      throw new WideseekError('Overloaded', 'the local stack went down while the training engine started');
    }
  }
};

/**
 * Address of this home's engine for a process that needs it now: what runs, or what is asked for again where it was
 * prepared once. Null where this home never had one.
 */
export const recallEngine = (home: string): string | null => {
  const spec = readEngineSpec(home);
  if (spec && !isEngineWanted(home)) wantEngine(home, spec);
  return readEngineState(home)?.url ?? null;
};
