import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startFakeEngine } from '../../activities/trainer/fake-engine.ts';
import { enginePaths } from '../../infra/local/engine-state.ts';
import { garbageLines, parseAge, printSize } from './text.ts';
import { weightsRemover } from './weights.ts';

let home: string;
beforeEach(() => void (home = mkdtempSync(join(tmpdir(), 'wideseek-gc-'))));
afterEach(() => rmSync(home, { recursive: true, force: true }));

it('reads ages and refuses everything else', () => {
  expect(['12h', '30d', '2w', '0d'].map(parseAge)).toEqual([43_200_000, 2_592_000_000, 1_209_600_000, 0]);
  for (const wrong of ['', '30', 'd', '-1d', '1.5d', '30 days'])
    expect(() => parseAge(wrong)).toThrow(/--older-than: ".*" is no age/);
});

it('prints sizes in three digits or so', () => {
  expect([0, 999, 1000, 34_100, 123_456_789].map(printSize)).toEqual([
    '0 B',
    '999 B',
    '1.0 kB',
    '34.1 kB',
    '123 MB',
  ]);
});

it('says what went and what stays', () => {
  const none = { rows: 0, bytes: 0 };
  const report = {
    ...{
      runs: 2,
      rows: { rows: 9, bytes: 1500 },
      documents: none,
      messages: none,
      content: none,
      weights: none,
    },
    ...{ needed: ['good'], unreachable: ['far'] },
  };
  const lines = garbageLines(report, '30d', true);
  expect(lines[0]).toBe('Would remove:');
  expect(lines).toContain('  9 rows of 2 runs that ended more than 30d ago, 1.5 kB');
  expect(lines.slice(-2)).toEqual([
    'Needed by runs that stay: good',
    'Stay because their engine does not answer: far',
  ]);
  expect(garbageLines({ ...report, needed: [], unreachable: [] }, '30d', false)).toHaveLength(6);
});

it("removes the local engine's weights from the disk, and only those", async () => {
  const { checkpoints } = enginePaths(home);
  const save = (...parts: string[]): string => {
    const folder = join(checkpoints, ...parts);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'model.safetensors'), '12345');
    return folder;
  };
  const [training, snapshot, other] = [
    save('m1', 'weights', 's1'),
    save('m1', 'sampler_weights', 's1'),
    save('m2', 'weights', 's1'),
  ];
  const remove = weightsRemover(home, {});
  const one = { path: 'tinker://m1/weights/s1', url: null };
  expect([await remove(one, true), existsSync(training)]).toEqual([5, true]);
  expect([await remove(one, false), existsSync(training), existsSync(snapshot)]).toEqual([5, false, true]);
  expect(await remove(one, false)).toBe(0);
  await remove({ path: 'tinker://m1/s1', url: null }, false);
  expect([existsSync(join(checkpoints, 'm1')), existsSync(other)]).toEqual([false, true]);
  expect(await remove({ path: 'tinker://../weights/m2', url: null }, false)).toBe(0);
  expect(existsSync(other)).toBe(true);
});

it('asks an engine elsewhere; on this host one that is silent has nothing, on another one it may', async () => {
  const engine = await startFakeEngine();
  const remove = weightsRemover(home, {});
  const path = 'tinker://m1/weights/s1';
  expect(await remove({ path, url: engine.url }, false)).toBe(0);
  await engine.close();
  expect(await remove({ path, url: engine.url }, false)).toBe(0);
  await expect(remove({ path, url: 'http://engine.invalid:1' }, false)).rejects.toThrow();
  expect(await remove({ path, url: 'http://engine.invalid:1' }, true)).toBe(0);
});
