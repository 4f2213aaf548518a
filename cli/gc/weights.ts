import { existsSync } from 'node:fs';
import { readdir, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { TrainedWeights } from '../../activities/retention/weights.ts';
import { createWireEngine } from '../../activities/trainer/wire/engine.ts';
import { WideseekError } from '../../domain/errors.ts';
import { ENGINES } from '../../domain/rl/engine.ts';
import { enginePaths } from '../../infra/local/engine-state.ts';

const PATH = /^tinker:\/\/([A-Za-z0-9_-]+)\/(weights\/)?([A-Za-z0-9_-]+)$/;
const REMOVE_MS = 30_000;

/** Folder of weights among those of the home's own engine; null for a path of another form. */
const folderOf = (checkpoints: string, path: string): string | null => {
  const [, model, weights, name] = PATH.exec(path) ?? [];
  return model && name ? join(checkpoints, model, weights ? 'weights' : 'sampler_weights', name) : null;
};

const sizeOf = async (folder: string): Promise<number> => {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = await Promise.all(
    files.flatMap((file) => (file.isFile() ? [stat(join(file.parentPath, file.name))] : [])),
  );
  return sizes.reduce((sum, { size }) => sum + size, 0);
};

const isLoopback = (url: string): boolean => /^https?:\/\/(127\.|localhost[:/]|\[::1\])/.test(url);

/**
 * Removes weights of the home's own engine from the disk, and others by asking the engine that has them. Throws where
 * an engine on another host does not answer; on this host nothing that does not answer can still have them.
 */
export const weightsRemover =
  (home: string, env: NodeJS.ProcessEnv) =>
  async ({ path, url }: TrainedWeights, dryRun: boolean): Promise<number> => {
    const folder = folderOf(enginePaths(home).checkpoints, path);
    if (folder !== null && existsSync(folder)) {
      const size = await sizeOf(folder);
      if (dryRun) return size;
      await rm(folder, { recursive: true, force: true });
      for (const parent of [dirname(folder), dirname(dirname(folder))])
        await rmdir(parent).catch(() => undefined);
      return size;
    }
    if (dryRun || url === null) return 0;
    const apiKeyEnv = env.WIDESEEK_ENGINE_API_KEY ? 'WIDESEEK_ENGINE_API_KEY' : undefined;
    const engine = createWireEngine({
      ...{ baseUrl: url, capabilities: ENGINES.tinker, env },
      ...(apiKeyEnv === undefined ? {} : { apiKeyEnv }),
    });
    try {
      await engine.remove?.(path, AbortSignal.timeout(REMOVE_MS));
    } catch (error) {
      const silent = error instanceof WideseekError && error.type === 'Overloaded';
      if (!silent || !isLoopback(url)) throw error;
    }
    return 0;
  };
