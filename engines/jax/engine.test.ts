import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createWireEngine } from '../../activities/trainer/wire/engine.ts';
import { runConformance } from '../../activities/trainer/wire/conformance.ts';
import { ENGINES } from '../../domain/rl/engine.ts';

const HERE = import.meta.dirname;
const VOCABULARY = 40;

/** A Python that has what requirements.txt names, or undefined. */
function findPython(): string | undefined {
  const named = process.env.WIDESEEK_ENGINE_PYTHON;
  const candidates = named === undefined ? [join(HERE, '.venv/bin/python'), 'python3'] : [named];
  return candidates.find((python) => {
    try {
      execFileSync(python, ['-c', 'import wideseek_engine.serve'], { cwd: HERE, stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  });
}

const python = findPython();
const reason =
  python === undefined ? ' (skipped: no Python with requirements.txt; set WIDESEEK_ENGINE_PYTHON)' : '';

describe.skipIf(python === undefined)(`the local engine${reason}`, () => {
  let child: ChildProcess;
  let url: string;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'wideseek-engine-'));
    const cache = process.env.WIDESEEK_ENGINE_TEST_CACHE ?? join(folder, 'cache');
    const options = ['--models', 'tests/fixtures', '--checkpoints', folder, '--cache', cache, '--port', '0'];
    const args = ['-m', 'wideseek_engine', 'serve', ...options, '--sample-batches', '8', '--deterministic'];
    child = spawn(python ?? '', args, { cwd: HERE, stdio: ['ignore', 'pipe', 'inherit'] });
    if (child.stdout === null) throw new Error('no stdout');
    const [line] = await once(createInterface(child.stdout), 'line');
    const { port } = z.object({ ready: z.literal(true), port: z.int() }).parse(JSON.parse(String(line)));
    url = `http://127.0.0.1:${port}`;
  }, 240_000);

  afterAll(async () => {
    child.kill('SIGTERM');
    const [code] = child.exitCode === null ? await once(child, 'exit') : [child.exitCode];
    await rm(folder, { recursive: true });
    expect(code).toBe(0);
  });

  const client = () =>
    createWireEngine({
      baseUrl: url,
      capabilities: ENGINES['local-jax'],
      baseModel: 'qwen3-tiny',
      vocabSize: VOCABULARY,
    });

  it('meets the conformance suite, and is what it is declared to be', { timeout: 900_000 }, async () => {
    const record = await runConformance(
      () => ({
        engine: client(),
        baseModel: 'qwen3-tiny',
        rank: 0,
        vocabSize: VOCABULARY,
        url,
        tolerance: 1e-4,
      }),
      AbortSignal.timeout(890_000),
    );
    const failed = record.checks.filter(({ status }) => status === 'fail');
    expect(failed).toEqual([]);
    expect(record.contradictions).toEqual([]);
  });
});
