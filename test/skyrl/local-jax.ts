import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { ENGINES } from '../../domain/rl/engine.ts';
import { createWireEngine } from '../../activities/trainer/wire/engine.ts';
import type { ConformanceTarget } from '../../activities/trainer/wire/conformance.ts';

const root = fileURLToPath(new URL('../../engines/jax/', import.meta.url));
/** The tiny model of the engine's own tests, and its number of token ids. */
const MODEL = { baseModel: 'qwen3-tiny', vocabSize: 40 };

/** Our own engine on its tests' tiny model, in a process of its own. */
export async function startLocalJax(
  python: string,
): Promise<{ target: ConformanceTarget; stop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'local-jax-'));
  const models = join(root, 'tests', 'fixtures');
  const place = [
    '--models',
    models,
    '--checkpoints',
    join(folder, 'checkpoints'),
    '--cache',
    join(folder, 'cache'),
  ];
  const child = spawn(
    python,
    ['-m', 'wideseek_engine', 'serve', ...place, '--port', '0', '--sample-batches', '1'],
    { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] },
  );
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const line = await Promise.race([
    new Promise<string>((resolve) => createInterface(child.stdout).once('line', resolve)),
    ended.then(() => {
      throw new Error('the engine ended before it served');
    }),
  ]);
  const { port } = z.object({ port: z.int() }).parse(JSON.parse(line));
  const url = `http://127.0.0.1:${port}`;
  const engine = createWireEngine({ baseUrl: url, capabilities: ENGINES['local-jax'], ...MODEL });
  return {
    target: { engine, rank: 0, url, ...MODEL },
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
