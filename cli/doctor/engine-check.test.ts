import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { engineVenv } from '../../infra/local/engine-python.ts';
import { testIo } from '../testing/test-io.ts';
import { checkEngine } from './engine-check.ts';

let home: string;
beforeEach(() => void (home = mkdtempSync(`${tmpdir()}/wideseek-doctor-`)));
afterEach(() => rmSync(home, { recursive: true, force: true }));
const check = (env: NodeJS.ProcessEnv = {}) =>
  checkEngine(testIo({ env: { PATH: process.env.PATH, WIDESEEK_HOME: home, ...env }, cwd: '/' }).io);

test('the engine: installed or not yet, and without Python a warning, as questions need none', async () => {
  expect(await check({ PATH: home })).toMatchObject({
    state: 'warn',
    detail: expect.stringContaining('needs Python 3.11') as string,
  });
  const venv = engineVenv(home);
  mkdirSync(venv.dir, { recursive: true });
  writeFileSync(venv.complete, '');
  expect(await check({ PATH: home })).toEqual({
    ...{ name: 'training engine', state: 'ok', detail: `installed in ${venv.dir}` },
  });
});

test('an engine that the environment names has to answer', async () => {
  expect(await check({ WIDESEEK_ENGINE_URL: 'http://127.0.0.1:1' })).toMatchObject({
    ...{ state: 'warn', detail: 'http://127.0.0.1:1 does not answer' },
  });
});
