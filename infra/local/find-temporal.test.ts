import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findTemporalServer } from './find-temporal.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), 'wideseek-find-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const failingIndex = () => Promise.reject(new Error('no network'));
const options = (env: Record<string, string>) => ({
  env,
  tempDir: dir,
  home: dir,
  platform: 'linux-x64',
  fetchWheel: failingIndex,
});

describe('findTemporalServer', () => {
  it('prefers an address to everything else', async () => {
    const found = await findTemporalServer(undefined, options({ TEMPORAL_ADDRESS: 'host:7233', PATH: dir }));
    expect(found).toEqual({ kind: 'address', address: 'host:7233' });
  });

  it('takes an executable on the PATH and passes over one that cannot run', async () => {
    const file = path.join(dir, 'temporal');
    await writeFile(file, '', { mode: 0o644 });
    await expect(findTemporalServer(undefined, options({ PATH: dir }))).rejects.toThrow();
    await rm(file);
    await writeFile(file, '', { mode: 0o755 });
    const found = await findTemporalServer(undefined, options({ PATH: `/nowhere:${dir}` }));
    expect(found).toEqual({ kind: 'binary', path: file, source: 'path' });
  });

  it('takes an earlier SDK download, but no link', async () => {
    const target = path.join(dir, 'elsewhere');
    await writeFile(target, '', { mode: 0o755 });
    await symlink(target, path.join(dir, 'temporal-sdk-typescript-1.24.0'));
    await expect(findTemporalServer(undefined, options({}))).rejects.toThrow();
    const file = path.join(dir, 'temporal-sdk-typescript-1.23.0');
    await writeFile(file, '', { mode: 0o755 });
    expect(await findTemporalServer(undefined, options({}))).toMatchObject({
      path: file,
      source: 'sdk-download',
    });
  });

  it('names all four ways when none works', async () => {
    const failed = findTemporalServer(undefined, options({ PATH: '' }));
    await expect(failed).rejects.toMatchObject({ type: 'NotFound' });
    await expect(failed).rejects.toThrow(/TEMPORAL_ADDRESS.*PATH.*SDK download.*wheel.*no network/s);
  });
});
