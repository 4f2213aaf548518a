import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * A Python that can run `engines/jax`: the one that WIDESEEK_ENGINE_PYTHON names, else an environment below
 * ~/.wideseek/engines; undefined where there is none. Throws an Error if the named one cannot run it.
 */
export async function findEnginePython(
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<string | undefined> {
  const named = env.WIDESEEK_ENGINE_PYTHON;
  if (named) {
    if (await runs(named)) return named;
    throw new Error(`WIDESEEK_ENGINE_PYTHON is ${named}, which cannot import what engines/jax needs`);
  }
  const folder = join(homedir(), '.wideseek', 'engines');
  const candidates = existsSync(folder)
    ? [folder, ...readdirSync(folder).map((name) => join(folder, name))].flatMap((place) => [
        join(place, 'bin', 'python'),
        join(place, 'venv', 'bin', 'python'),
        join(place, '.venv', 'bin', 'python'),
      ])
    : [];
  for (const candidate of candidates) if (existsSync(candidate) && (await runs(candidate))) return candidate;
  return undefined;
}

const runs = (python: string): Promise<boolean> =>
  promisify(execFile)(python, ['-c', 'import jax, google.protobuf, starlette']).then(
    () => true,
    () => false,
  );
