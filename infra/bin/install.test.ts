import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
let root: string;

const lockFile = (version: string) => ({
  packages: { '': {}, 'node_modules/a': { version }, 'node_modules/b': { version: '1.0.0', dev: true } },
});
const writeJson = (path: string, value: unknown): void =>
  writeFileSync(join(root, path), JSON.stringify(value));

/**
 * Stands in for npm: notes the call, takes half a second, leaves what the lock file says. `FAKE_NPM=fail` fails;
 * `FAKE_NPM_WAITS` has it wait until somebody waits for it.
 */
const FAKE_NPM = `
const fs = require('fs');
const root = process.cwd();
fs.appendFileSync(root + '/calls', process.argv.slice(2).join(' ') + '\\n');
fs.writeFileSync(root + '/gpu-libraries', process.env.ONNXRUNTIME_NODE_INSTALL || 'downloaded');
console.log('npm talks');
if (process.env.FAKE_NPM === 'fail') process.exit(7);
const end = () => {
  fs.rmSync(root + '/node_modules', { recursive: true, force: true });
  fs.mkdirSync(root + '/node_modules');
  fs.copyFileSync(root + '/package-lock.json', root + '/node_modules/.package-lock.json');
};
const look = () => (!process.env.FAKE_NPM_WAITS || fs.existsSync(root + '/go') ? end() : setTimeout(look, 50));
setTimeout(look, 500);`;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'wideseek-install-'));
  writeJson('package-lock.json', lockFile('1.0.0'));
  writeFileSync(join(root, 'npm.cjs'), FAKE_NPM);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const install = async ({ dev = true, env = {} }: { dev?: boolean; env?: Record<string, string> } = {}) => {
  const script = `const { ensureInstalled } = await import(${JSON.stringify(here('./install.mjs'))});
    await ensureInstalled(${JSON.stringify(root)}, ${dev}); console.log('installed');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    env: { ...process.env, npm_execpath: join(root, 'npm.cjs'), WIDESEEK_SKIP_INSTALL: '', ...env },
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (data: Buffer) => (stdout += data.toString()));
  child.stderr.on('data', (data: Buffer) => {
    stderr += data.toString();
    if (stderr.includes('Waiting for another install')) writeFileSync(join(root, 'go'), '');
  });
  const [status] = (await once(child, 'close')) as [number];
  return { status, stdout, stderr };
};
const calls = (): number =>
  existsSync(join(root, 'calls')) ? readFileSync(join(root, 'calls'), 'utf8').split('\n').length - 1 : 0;

test('installs once, keeps stdout clean, and again only after the lock file changed', async () => {
  const first = await install();
  expect(first).toMatchObject({ status: 0, stdout: 'installed\n' });
  expect(first.stderr).toContain('npm talks');
  expect(readFileSync(join(root, 'gpu-libraries'), 'utf8')).toBe('skip');
  expect((await install()).stderr).toBe('');
  expect(calls()).toBe(1);
  writeJson('package-lock.json', lockFile('2.0.0'));
  await install();
  expect(calls()).toBe(2);
});

test('two at once: one installs, the other waits for it', async () => {
  const env = { FAKE_NPM_WAITS: 'yes' };
  const both = await Promise.all([install({ env }), install({ env })]);
  expect(both.map((each) => each.status)).toEqual([0, 0]);
  expect(calls()).toBe(1);
  expect(both.map((each) => each.stderr).join('')).toContain('Waiting for another install');
});

test('packages that a person installed are accepted; without test tools only where none are needed', async () => {
  mkdirSync(join(root, 'node_modules'));
  writeJson('node_modules/.package-lock.json', { packages: { 'node_modules/a': { version: '1.0.0' } } });
  await install({ dev: false });
  expect(calls()).toBe(0);
  await install({ dev: true });
  expect(calls()).toBe(1);
});

test('the lock of a dead install is taken over', async () => {
  mkdirSync(join(root, '.wideseek'));
  writeFileSync(join(root, '.wideseek', 'install.lock'), '[4194305]');
  expect((await install()).status).toBe(0);
  expect(existsSync(join(root, '.wideseek', 'install.lock'))).toBe(false);
});

test('a failed install says so, leaves no lock, and is tried again', async () => {
  const failed = await install({ env: { FAKE_NPM: 'fail' } });
  expect(failed.status).toBe(1);
  expect(failed.stderr).toContain('npm ci failed (status 7)');
  expect((await install()).status).toBe(0);
});

test('packages of another Node version are installed anew', async () => {
  await install();
  const stamp = JSON.parse(readFileSync(join(root, 'node_modules/.wideseek.json'), 'utf8')) as object;
  writeJson('node_modules/.wideseek.json', { ...stamp, machine: 'linux x64 1' });
  await install();
  expect(calls()).toBe(2);
});

test('an image that says it is complete, and a published package, are left alone', async () => {
  await install({ env: { WIDESEEK_SKIP_INSTALL: '1' } });
  rmSync(join(root, 'package-lock.json'));
  await install();
  expect(calls()).toBe(0);
});

test('no npm runs the install script of onnxruntime-node, which downloads GPU libraries', () => {
  const ours = (file: string): unknown => JSON.parse(readFileSync(here(`../../${file}`), 'utf8'));
  const packages = z.object({
    packages: z.record(z.string(), z.looseObject({ hasInstallScript: z.boolean().optional() })),
  });
  const locked = Object.entries(packages.parse(ours('package-lock.json')).packages);
  // npm 7 to 10 run no script of a package that the lock file gives none; npm 11 also asks `allowScripts`.
  // Delete the flag by hand where an `npm install` wrote it again.
  for (const [path, { hasInstallScript }] of locked)
    if (path.endsWith('/onnxruntime-node')) expect(hasInstallScript, path).toBeUndefined();
  const { allowScripts } = z
    .object({ allowScripts: z.record(z.string(), z.boolean()) })
    .parse(ours('package.json'));
  expect(allowScripts['onnxruntime-node']).toBe(false);
  const undecided = locked
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length))
    .filter((name) => !(name in allowScripts));
  expect(undecided, 'decide about them in allowScripts of package.json').toEqual([]);
});
