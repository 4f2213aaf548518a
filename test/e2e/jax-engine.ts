import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createWireEngine } from '../../activities/trainer/wire/engine.ts';
import type { TrainingEngine } from '../../activities/trainer/port.ts';
import { ENGINES } from '../../domain/rl/engine.ts';
import { type Child, startChild } from '../../infra/local/child.ts';
import { ENGINE_DIR } from '../../infra/local/engine-python.ts';

/** The Python that has the local engine's packages; undefined where no environment was made. */
export const enginePython = process.env.WIDESEEK_ENGINE_PYTHON;
/** For the title of a test that is skipped without it. */
export const engineReason =
  enginePython === undefined ? ' (skipped: no Python of the local engine; set WIDESEEK_ENGINE_PYTHON)' : '';

/** Compiled functions, shared by all engines of all tests: compiling is most of their time. */
export const engineCache =
  process.env.WIDESEEK_ENGINE_TEST_CACHE ?? join(tmpdir(), 'wideseek-test-engine-cache');

export interface JaxEngineOptions {
  port: number;
  models: string;
  checkpoints: string;
  log: string;
  /** Padded tokens of one training micro-batch. Default: 1024. */
  tokenBudget?: number;
}

/** Small, because a deterministic engine pays for every row of a batch. */
const ROWS = '8';
const READY_MS = 300_000;

/** The local engine as a process in deterministic mode, ready to work. Throws with its last words where it ends first. */
export async function startJaxEngine(options: JaxEngineOptions): Promise<Child> {
  const { port, models, checkpoints, log, tokenBudget = 1024 } = options;
  for (const folder of [models, checkpoints, engineCache]) mkdirSync(folder, { recursive: true });
  const child = await startChild({
    name: 'engine',
    command: enginePython ?? '',
    args: [
      ...['-m', 'wideseek_engine', 'serve', '--port', `${port}`, '--models', models],
      ...['--checkpoints', checkpoints, '--cache', engineCache, '--token-budget', `${tokenBudget}`],
      ...['--deterministic', '--sample-batches', ROWS, '--window-ms', '20'],
    ],
    cwd: ENGINE_DIR,
    env: { ...process.env, PYTHONUNBUFFERED: '1', PYTHONDONTWRITEBYTECODE: '1' },
    log,
  });
  let ended = false;
  void child.exited.then(() => (ended = true));
  for (const end = Date.now() + READY_MS; !(await works(port)); await sleep(50)) {
    if (ended) throw new Error(`the engine ended: ${child.lastWords(10)}`);
    if (Date.now() > end) throw new Error(`the engine is not ready: ${child.lastWords(10)}`);
  }
  return child;
}

const works = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/api/v1/healthz`, { signal: AbortSignal.timeout(5_000) }).then(
    ({ ok }) => ok,
    () => false,
  );

/** A client of the engine at a port. */
export const jaxClient = (port: number, baseModel: string): TrainingEngine =>
  createWireEngine({ baseUrl: `http://127.0.0.1:${port}`, capabilities: ENGINES['local-jax'], baseModel });
