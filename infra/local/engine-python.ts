import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { WideseekError } from '../../domain/errors.ts';
import { packageRoot } from './home.ts';
import { acquireLock } from './lock.ts';

const exec = promisify(execFile);

/** Where the local engine's code and its list of packages are. */
export const ENGINE_DIR = join(packageRoot, 'engines', 'jax');
const REQUIREMENTS = join(ENGINE_DIR, 'requirements.txt');
const OLDEST = 11;
/** The versions that the engine's packages have been used with come first. */
const INTERPRETERS = ['python3.12', 'python3.11', 'python3.13', 'python3.14', 'python3', 'python'];
const INSTALL_MS = 30 * 60_000;
/** Modules that the engine cannot start without. */
const MODULES = ['jax', 'jaxlib', 'numpy', 'optax', 'safetensors', 'starlette', 'uvicorn', 'google.protobuf'];

export interface PythonOptions {
  home: string;
  env: NodeJS.ProcessEnv;
  onStatus?: (line: string) => void;
  /** Lists the packages; default: the engine's own. */
  requirements?: string;
}

/** Minor version of a Python 3 that can make environments; null for anything else. */
const versionOf = async (python: string, env: NodeJS.ProcessEnv): Promise<number | null> => {
  try {
    const { stdout } = await exec(
      python,
      ['-c', 'import sys, venv, ensurepip; print(*sys.version_info[:2])'],
      {
        env,
        timeout: 30_000,
      },
    );
    const [major, minor] = stdout.trim().split(' ').map(Number);
    return major === 3 && minor !== undefined ? minor : null;
  } catch {
    return null;
  }
};

/** The first Python on the PATH that is new enough. Throws `NotFound` naming what was looked for. */
export const findPython = async (env: NodeJS.ProcessEnv): Promise<string> => {
  for (const python of INTERPRETERS) {
    const minor = await versionOf(python, env);
    if (minor !== null && minor >= OLDEST) return python;
  }
  throw new WideseekError(
    'NotFound',
    `the local training engine needs Python 3.${OLDEST} or newer with its venv module; none is on the PATH (looked for ${INTERPRETERS.join(', ')})`,
    {
      hint: 'Install one (Debian: apt install python3-venv), or set WIDESEEK_ENGINE_PYTHON, or train on another engine: --set engine.kind=wire with WIDESEEK_ENGINE_URL',
    },
  );
};

/** Where the environment for this list of packages belongs, and whether it is complete. */
export const engineVenv = (home: string, requirements = REQUIREMENTS) => {
  const hash = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 12);
  const dir = join(home, 'engines', hash);
  const complete = join(dir, 'complete');
  return {
    dir,
    python: join(dir, ...(process.platform === 'win32' ? ['Scripts', 'python.exe'] : ['bin', 'python'])),
    complete,
    ready: existsSync(complete),
  };
};

/** The Python that `WIDESEEK_ENGINE_PYTHON` names. Throws `ConfigError` where it lacks what the engine imports. */
const ownPython = async (python: string, env: NodeJS.ProcessEnv): Promise<string> => {
  const script = `import importlib.util as u, sys\nassert sys.version_info >= (3, ${OLDEST}), "is Python " + sys.version.split()[0]\nmissing = [m for m in ${JSON.stringify(MODULES)} if u.find_spec(m) is None]\nassert not missing, "lacks " + ", ".join(missing)`;
  try {
    await exec(python, ['-c', script], { env, timeout: 60_000 });
    return python;
  } catch (cause) {
    const { stderr = '', message } = cause as { stderr?: string; message: string };
    const said = /(?:AssertionError|ModuleNotFoundError): (.*)/.exec(stderr)?.[1] ?? message.split('\n')[0];
    throw new WideseekError('ConfigError', `WIDESEEK_ENGINE_PYTHON: ${python} ${said}`, {
      hint: `Install into it: ${python} -m pip install -r ${REQUIREMENTS}; or unset the variable and an environment is made`,
      cause,
    });
  }
};

const NETWORK =
  /connection|resolution|unreachable|timed? ?out|max retries|temporary failure|no matching distribution|proxy|ssl/i;

const pipInstall = async (python: string, options: PythonOptions, requirements: string): Promise<void> => {
  const args = ['-m', 'pip', 'install', '--disable-pip-version-check', '--progress-bar=off', '--timeout=30'];
  const pip = spawn(python, [...args, '-r', requirements], {
    env: options.env,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: INSTALL_MS,
  });
  const errors: string[] = [];
  createInterface({ input: pip.stdout }).on('line', (line) => {
    if (/^\s*(Downloading|Installing collected)/.test(line))
      options.onStatus?.(`  engine: ${line.trim().slice(0, 90)}`);
  });
  createInterface({ input: pip.stderr }).on('line', (line) => void errors.push(line));
  const code = await new Promise<number | null>((resolve, reject) => {
    pip.once('close', resolve);
    pip.once('error', reject);
  });
  if (code === 0) return;
  const last = (errors.filter((line) => /error/i.test(line)).at(-1) ?? errors.at(-1) ?? `status ${code}`)
    .trim()
    .slice(0, 300);
  throw new WideseekError('Overloaded', `the training engine's packages were not installed: ${last}`, {
    hint: errors.some((line) => NETWORK.test(line))
      ? 'pip reaches no package index: check the network or pip’s index setting, then run the command again'
      : `Try it by hand: ${python} -m pip install -r ${requirements}`,
  });
};

/**
 * The Python that runs the local engine: `WIDESEEK_ENGINE_PYTHON`, else the environment of this list of packages under
 * `<home>/engines`, made and filled on first use (about 560 MB). Two processes at once make it once; one that was
 * killed leaves no environment that counts. Throws `NotFound` without Python, `ConfigError` for an unfit
 * `WIDESEEK_ENGINE_PYTHON`, `Overloaded` where the packages cannot be had.
 */
export const ensureEnginePython = async (options: PythonOptions): Promise<string> => {
  const { home, env, requirements = REQUIREMENTS, onStatus } = options;
  if (env.WIDESEEK_ENGINE_PYTHON) return ownPython(env.WIDESEEK_ENGINE_PYTHON, env);
  const venv = engineVenv(home, requirements);
  if (venv.ready) return venv.python;
  const found = await findPython(env);
  mkdirSync(join(home, 'engines'), { recursive: true });
  const lock = await acquireLock(`${venv.dir}.lock`, INSTALL_MS);
  if (!lock) throw new WideseekError('Timeout', `another process installs ${venv.dir} and does not finish`);
  try {
    if (engineVenv(home, requirements).ready) return venv.python;
    onStatus?.(`Installing the training engine into ${venv.dir} (once, about 560 MB) …`);
    rmSync(venv.dir, { recursive: true, force: true });
    await exec(found, ['-m', 'venv', venv.dir], { env, timeout: INSTALL_MS });
    await pipInstall(venv.python, options, requirements);
    writeFileSync(venv.complete, `${found}\n`);
    return venv.python;
  } finally {
    lock.release();
  }
};
