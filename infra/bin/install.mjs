import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { clearInterval, setInterval } from 'node:timers';
import { takeLock } from './install-lock.mjs';

const readJson = (file) => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
};

const STAMP = join('node_modules', '.wideseek.json');

/** What an install depends on: the lock file, and the machine that native packages were built for. */
const fingerprint = (root) => ({
  lock: createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex'),
  machine: [process.platform, process.arch, process.versions.modules].join(' '),
});

/** `npm ci` installs everything, test tools included. */
const stamp = (root) => writeFileSync(join(root, STAMP), JSON.stringify(fingerprint(root)));

/** True when npm's own record in `node_modules` has every needed package in the locked version. */
const matchesLock = (root, dev) => {
  const installed = readJson(join(root, 'node_modules', '.package-lock.json'));
  const locked = readJson(join(root, 'package-lock.json'));
  if (!installed || !locked) return false;
  return Object.entries(locked.packages).every(([path, { version, optional, devOptional, dev: forDev }]) => {
    if (path === '' || optional || devOptional || (forDev && !dev)) return true;
    return installed.packages[path] && installed.packages[path].version === version;
  });
};

/** True when the packages are there: by the stamp of an earlier install, or because a person installed them. */
export const isInstalled = (root, dev) => {
  const { lock, machine } = fingerprint(root);
  const seen = readJson(join(root, STAMP));
  if (seen && seen.machine !== machine) return false;
  if (seen && seen.lock === lock) return true;
  return matchesLock(root, dev);
};

const npmCi = (root, onSpawn) =>
  new Promise((resolve, reject) => {
    const npm = process.env.npm_execpath;
    const [command, first] = npm && /\.c?js$/.test(npm) ? [process.execPath, [npm]] : ['npm', []];
    // npm's words go to stderr: stdout belongs to the command that the person ran.
    const child = spawn(command, [...first, 'ci', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: root,
      stdio: ['ignore', 2, 2],
      // Its install script would download CUDA libraries that we do not use.
      env: { ...process.env, ONNXRUNTIME_NODE_INSTALL: 'skip' },
      shell: process.platform === 'win32' && command === 'npm',
    });
    child.once('spawn', () => onSpawn(child.pid));
    child.once('error', (error) =>
      reject(new Error(`npm cannot be started (${error.message}); is it installed?`)),
    );
    child.once('exit', (code, signal) =>
      code === 0
        ? resolve()
        : reject(new Error(`npm ci failed (${signal || `status ${code}`}); its words are above`)),
    );
  });

/**
 * Installs the packages of the clone at `root` when they are missing or the lock file changed. Two at once: the
 * second waits. A published package has no lock file, and `WIDESEEK_SKIP_INSTALL=1` says that an image is complete:
 * then nothing is checked. `dev`: test tools are needed too.
 */
export const ensureInstalled = async (root, dev = false) => {
  if (process.env.WIDESEEK_SKIP_INSTALL === '1' || !existsSync(join(root, 'package-lock.json'))) return;
  if (isInstalled(root, dev)) return;
  const folder = join(root, '.wideseek');
  mkdirSync(folder, { recursive: true });
  const lock = await takeLock(join(folder, 'install.lock'), () =>
    console.error('Waiting for another install of these packages to finish …'),
  );
  try {
    if (isInstalled(root, dev)) return;
    console.error('Installing packages (about a minute; only the first time and after updates) …');
    const began = Date.now();
    const ticks = setInterval(
      () => console.error(`  still installing, ${Math.round((Date.now() - began) / 1000)} s`),
      15_000,
    );
    try {
      await npmCi(root, lock.add);
    } finally {
      clearInterval(ticks);
    }
    stamp(root);
    console.error(`Packages installed in ${Math.round((Date.now() - began) / 1000)} s.`);
  } finally {
    lock.release();
  }
};
