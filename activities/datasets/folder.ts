import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { WideseekError } from '../../domain/errors.ts';
import type { DatasetEntry } from './catalogue.ts';

/** Folder of all data sets: `WIDESEEK_DATA`, else `data` in `WIDESEEK_HOME`, else `~/.wideseek/data`. Absolute. */
export function dataFolder(env: NodeJS.ProcessEnv = process.env): string {
  if (env.WIDESEEK_DATA) return resolve(env.WIDESEEK_DATA);
  return join(env.WIDESEEK_HOME ? resolve(env.WIDESEEK_HOME) : join(homedir(), '.wideseek'), 'data');
}

const kindOf = async (path: string): Promise<'file' | 'folder' | 'nothing'> => {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() ? 'file' : found?.isDirectory() ? 'folder' : 'nothing';
};

/**
 * The file that holds a data set: `path` itself where it is a file, else the first known name below it, or below the
 * data set's own folder. ASearcher's collection also holds GAIA, xbench and Frames and is looked through for them.
 * Throws `NotFound` that names the places and says how to get the data.
 */
export async function locate(
  entry: DatasetEntry,
  options: { path?: string; split?: string; env?: NodeJS.ProcessEnv },
): Promise<string> {
  const data = dataFolder(options.env);
  if (options.path !== undefined && (await kindOf(options.path)) === 'file') return resolve(options.path);
  const folders =
    options.path !== undefined ? [options.path] : [join(data, entry.folder), join(data, 'asearcher')];
  const split = options.split ?? entry.split ?? 'test';
  const places = [...new Set(folders)].flatMap((folder) =>
    entry.files.map((file) => resolve(folder, file.replaceAll('{split}', split))),
  );
  for (const place of places) if ((await kindOf(place)) === 'file') return place;
  throw new WideseekError('NotFound', `data set ${entry.name}: there is no ${places[0] ?? 'file'}`, {
    hint: entry.hub
      ? `Get it with \`wideseek data pull ${entry.name}\`, or name its file or folder`
      : 'Name its file or folder',
  });
}
