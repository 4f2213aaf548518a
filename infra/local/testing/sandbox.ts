import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findTemporalServer } from '../artifacts.ts';
import { stopStack } from '../stack.ts';
import type { Command } from '../worker-process.ts';

export const fakeWorker: Command = {
  command: process.execPath,
  args: [fileURLToPath(new URL('./fake-worker.mjs', import.meta.url))],
};

/** Path of the real server program; downloaded into the real home once. */
export const temporalBinary = async (): Promise<string> => {
  const found = await findTemporalServer(undefined, { env: { ...process.env, TEMPORAL_ADDRESS: '' } });
  if (found.kind !== 'binary') throw new Error('expected a program');
  return found.path;
};

/** A home of its own in a temporary folder, and an environment in which every process finds the server program. */
export const sandbox = async () => {
  const home = mkdtempSync(join(tmpdir(), 'wideseek-home-'));
  const path = `${dirname(await temporalBinary())}${delimiter}${process.env.PATH ?? ''}`;
  const env: NodeJS.ProcessEnv = { ...process.env, PATH: path, WIDESEEK_HOME: home };
  for (const name of ['TEMPORAL_ADDRESS', 'TEMPORAL_NAMESPACE', 'WIDESEEK_STORE']) delete env[name];
  const remove = async (): Promise<void> => {
    await stopStack(home);
    rmSync(home, { recursive: true, force: true });
  };
  return { home, env, remove };
};
