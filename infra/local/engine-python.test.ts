import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { engineVenv, ensureEnginePython, findPython } from './engine-python.ts';

let home: string;
let bin: string;
let requirements: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'wideseek-engine-'));
  bin = join(home, 'bin');
  mkdirSync(bin);
  requirements = join(home, 'requirements.txt');
  writeFileSync(requirements, 'one==1\n');
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const program = (path: string, script: string): void => {
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
};
/** A Python that is `version`, and whose environments have a pip that runs `pip`. */
const python = (name: string, version: string, pip = 'exit 0'): void => {
  const made = `mkdir -p "$3/bin"; printf '#!/bin/sh\\n${pip}\\n' > "$3/bin/python"; chmod +x "$3/bin/python"`;
  program(join(bin, name), `case "$1 $2" in "-m venv") ${made};; *) echo "${version}";; esac`);
};
const env = () => ({ PATH: `${bin}${delimiter}/usr/bin${delimiter}/bin` });
const ensure = (onStatus?: (line: string) => void) =>
  ensureEnginePython({ home, env: env(), requirements, onStatus });

test('the environment is made once for one list of packages, and again for another', async () => {
  python('python3.12', '3 12');
  const lines: string[] = [];
  const first = await ensure((line) => lines.push(line));
  expect(first).toBe(engineVenv(home, requirements).python);
  expect(lines[0]).toMatch(/^Installing the training engine/);
  expect(await ensure((line) => lines.push(line))).toBe(first);
  expect(lines).toHaveLength(1);
  writeFileSync(requirements, 'one==2\n');
  expect(await ensure()).not.toBe(first);
});

test('a failed installation names the cause, leaves nothing that counts, and is tried again', async () => {
  python('python3.12', '3 12', 'echo "ERROR: Temporary failure in name resolution" >&2; exit 1');
  await expect(ensure()).rejects.toThrow(/not installed: ERROR: Temporary failure.*check the network/);
  expect(engineVenv(home, requirements).ready).toBe(false);
  python('python3.12', '3 12');
  expect(existsSync(await ensure())).toBe(true);
});

test('a Python that is too old is passed over; without any the error says what was looked for', async () => {
  for (const name of ['python3.12', 'python3.11', 'python3.13', 'python3.14', 'python3', 'python'])
    python(name, '3 9');
  await expect(findPython(env())).rejects.toThrow(/Python 3\.11 or newer.*WIDESEEK_ENGINE_PYTHON/);
  python('python3', '3 13');
  expect(await findPython(env())).toBe('python3');
});

test('a Python of one’s own must have what the engine imports', async () => {
  const own = join(bin, 'mine');
  program(own, 'echo "AssertionError: lacks jax" >&2; exit 1');
  const options = { home, env: { ...env(), WIDESEEK_ENGINE_PYTHON: own } };
  await expect(ensureEnginePython(options)).rejects.toThrow(`WIDESEEK_ENGINE_PYTHON: ${own} lacks jax`);
  program(own, 'exit 0');
  expect(await ensureEnginePython(options)).toBe(own);
});
