import { execFile, spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

const SKYRL = 'skyrl==0.4.0';
/** What SkyRL's JAX backend imports for text. Its own list of requirements would pull torch with CUDA. */
const REQUIREMENTS = [
  'jax',
  'flax>=0.12.10',
  'optax',
  'fastapi[standard]',
  'sqlmodel',
  'sqlalchemy[asyncio]',
  'aiosqlite',
  'aiohttp',
  'safetensors',
  'tokenizers',
  'transformers>=5.6,<5.17',
  'cloudpathlib',
  'typer',
  'rich',
  'pillow',
  'zstandard',
  'xxhash',
  'hf_transfer',
  'datasets',
  'psutil',
  'tinker<0.26,>=0.25',
];

export interface SkyrlInstall {
  /** Folder of everything that belongs to it. */
  home: string;
  /** Folder of the environment's programs, to be first on PATH. */
  bin: string;
  versions: Record<string, string>;
}

/** Installs SkyRL with its JAX backend (1.1 GB) under `home`, unless it is there. Throws an Error that says what is missing. */
export async function installSkyrl(home: string): Promise<SkyrlInstall> {
  // `uv run` finds an environment of this name in the folder where it is started.
  const bin = join(home, '.venv', 'bin');
  const python = join(bin, 'python');
  await mkdir(home, { recursive: true });
  if (!existsSync(python)) await loud(await findPython(), ['-m', 'venv', join(home, '.venv')]);
  if (!existsSync(join(bin, 'uv'))) await loud(python, ['-m', 'pip', 'install', '--quiet', 'uv']);
  if (!(await installed(python))) {
    const pip = ['pip', 'install', '--quiet', '--python', python];
    await loud(join(bin, 'uv'), [...pip, ...REQUIREMENTS]);
    await loud(join(bin, 'uv'), [...pip, '--no-deps', SKYRL]);
  }
  return { home, bin, versions: await versionsOf(python) };
}

async function installed(python: string): Promise<boolean> {
  const script = 'import importlib.metadata as m; print(m.version("skyrl"), m.version("psutil"))';
  return execute(python, ['-c', script]).then(
    ({ stdout }) => stdout.startsWith('0.4.0 '),
    () => false,
  );
}

async function versionsOf(python: string): Promise<Record<string, string>> {
  const script = `import importlib.metadata as m, json, platform
names = ["skyrl", "tinker", "jax", "flax", "optax", "transformers"]
print(json.dumps({"python": platform.python_version(), **{n: m.version(n) for n in names}}))`;
  return JSON.parse((await execute(python, ['-c', script])).stdout) as Record<string, string>;
}

/** A Python of at least 3.12: by name on PATH, else one that pyenv has. */
async function findPython(): Promise<string> {
  const pyenv = join(homedir(), '.pyenv', 'versions');
  const kept = existsSync(pyenv) ? readdirSync(pyenv) : [];
  const candidates = [
    'python3.13',
    'python3.12',
    'python3',
    ...kept.map((version) => join(pyenv, version, 'bin', 'python3')),
  ];
  for (const candidate of candidates) {
    const check = 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 12))';
    const fits = await execute(candidate, ['-c', check]).then(
      () => true,
      () => false,
    );
    if (fits) return candidate;
  }
  throw new Error('SkyRL needs Python 3.12 or later with venv and pip: none was found on PATH or in pyenv');
}

/** Runs a program with its output shown. */
const loud = (program: string, parameters: string[]): Promise<void> =>
  new Promise((resolve, reject) => {
    process.stdout.write(`$ ${[program, ...parameters].join(' ')}\n`);
    const child = spawn(program, parameters, { stdio: 'inherit' });
    child.once('error', reject);
    child.once('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`${program} ended with status ${code}`)),
    );
  });
