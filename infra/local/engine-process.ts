import { mkdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { WideseekError } from '../../domain/errors.ts';
import { type Child, describeExit, type Exit, startChild } from './child.ts';
import { ENGINE_DIR } from './engine-python.ts';
import type { EngineSpec } from './engine-state.ts';
import { choosePort } from './ports.ts';

/** Where it listens unless something else does. */
export const ENGINE_PORT = 8777;
/** The first start compiles; a busy machine takes its time. */
const READY_MS = 10 * 60_000;

export interface EngineProcessOptions {
  spec: EngineSpec;
  log: string;
  env: NodeJS.ProcessEnv;
  /** A restart keeps the address that clients know. */
  preferredPort?: number;
  onSpawn?: (child: Child, url: string) => void;
  timeoutMs?: number;
}

const argsOf = (
  { models, checkpoints, cache, deterministic, program }: EngineSpec,
  port: number,
): string[] => [
  ...(program ?? ['-m', 'wideseek_engine']),
  ...['serve', '--host', '127.0.0.1', '--port', String(port)],
  ...['--models', models, '--checkpoints', checkpoints, '--cache', cache],
  ...(deterministic ? ['--deterministic'] : []),
];

const works = async (url: string): Promise<boolean> => {
  try {
    return (await fetch(`${url}/api/v1/healthz`, { signal: AbortSignal.timeout(2_000) })).ok;
  } catch {
    return false;
  }
};

/**
 * Starts the local engine on 127.0.0.1 and waits until it can work. Throws `Internal` with its last words when it ends
 * first, `Timeout` when it does not become ready.
 */
export const startEngine = async (options: EngineProcessOptions): Promise<{ child: Child; url: string }> => {
  const { spec, log, env } = options;
  const port = await choosePort('engine port', undefined, options.preferredPort ?? ENGINE_PORT);
  const url = `http://127.0.0.1:${port}`;
  for (const folder of [spec.models, spec.checkpoints, spec.cache]) mkdirSync(folder, { recursive: true });
  const child = await startChild({
    name: 'engine',
    command: spec.python,
    args: argsOf(spec, port),
    cwd: ENGINE_DIR,
    env: { ...env, PYTHONUNBUFFERED: '1', PYTHONDONTWRITEBYTECODE: '1' },
    log,
  });
  options.onSpawn?.(child, url);
  let exit: Exit | undefined;
  void child.exited.then((end) => (exit = end));
  for (const end = Date.now() + (options.timeoutMs ?? READY_MS); !(await works(url)); await sleep(200)) {
    if (exit)
      throw new WideseekError(
        'Internal',
        `the training engine ended with ${describeExit(exit)}: ${child.lastWords(3)}`,
        { hint: `Its log is ${log}` },
      );
    if (Date.now() > end) {
      await child.stop(2_000);
      throw new WideseekError('Timeout', 'the training engine was not ready in time', {
        hint: `Its log is ${log}`,
      });
    }
  }
  return { child, url };
};
