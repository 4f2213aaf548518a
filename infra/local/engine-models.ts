import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';
import { WideseekError } from '../../domain/errors.ts';
import { ENGINE_DIR } from './engine-python.ts';
import type { EngineSpec } from './engine-state.ts';
import { packageRoot } from './home.ts';

const exec = promisify(execFile);

const weightsIn = (folder: string): string[] =>
  existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.safetensors')) : [];

const hasWeights = (folder: string): boolean => weightsIn(folder).length > 0;

/**
 * Makes sure that the engine finds a base model with weights. One that comes with this project (`models/<name>`) is
 * copied, and a copy stays as it is, because runs have begun from it; one that is only configuration and tokenizer gets fresh
 * weights, the same for the same seed. Throws `NotFound` for a model that nobody has, `Internal` with the engine's words
 * where it cannot be made.
 */
export const ensureBaseModel = async (
  { python, models }: Pick<EngineSpec, 'python' | 'models'>,
  name: string,
  options: { env: NodeJS.ProcessEnv; seed?: number; onStatus?: (line: string) => void },
): Promise<void> => {
  const folder = isAbsolute(name) ? name : join(models, name);
  const own = join(packageRoot, 'models', name);
  if (hasWeights(folder)) {
    if (!isAbsolute(name) && hasWeights(own) && !sameWeights(own, folder))
      options.onStatus?.(
        `"${name}" in ${folder} is not the one of this project any more; remove it to get that one.`,
      );
    return;
  }
  const config = join(own, 'config.json');
  if (isAbsolute(name) || !existsSync(config))
    throw new WideseekError('NotFound', `engine.baseModel: there is no model with weights in ${folder}`, {
      hint: 'Put a Hugging Face folder there (config.json, *.safetensors), or name it by its absolute path',
    });
  mkdirSync(models, { recursive: true });
  if (hasWeights(own)) return copyWhole(own, folder);
  options.onStatus?.(`Making the weights of "${name}" in ${folder} …`);
  const args = ['-m', 'wideseek_engine', 'init', '--config', config, '--out', folder];
  try {
    await exec(python, [...args, '--seed', String(options.seed ?? 1)], {
      cwd: ENGINE_DIR,
      env: { ...options.env, PYTHONDONTWRITEBYTECODE: '1' },
    });
  } catch (cause) {
    // Two commands at once: the other one made them.
    if (hasWeights(folder)) return;
    const { stderr = '', message } = cause as { stderr?: string; message: string };
    throw new WideseekError(
      'Internal',
      `the weights of "${name}" were not made: ${stderr.trim().split('\n').at(-1) || message}`,
      { cause },
    );
  }
};

/** Whether each file of weights in the one is in the other, byte for byte. */
const sameWeights = (one: string, other: string): boolean =>
  weightsIn(one).every((name) => {
    const copy = join(other, name);
    return existsSync(copy) && readFileSync(join(one, name)).equals(readFileSync(copy));
  });

/** A folder that is there is complete: the copy gets its name last. */
const copyWhole = (from: string, to: string): void => {
  const partial = `${to}.partial-${process.pid}`;
  rmSync(partial, { recursive: true, force: true });
  cpSync(from, partial, { recursive: true });
  rmSync(to, { recursive: true, force: true });
  renameSync(partial, to);
};
