import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, type BundlerPlugin } from '@temporalio/worker';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const WORKFLOWS = fileURLToPath(new URL('../workflows/index.ts', import.meta.url));
/** Everything that a workflow may import, and what decides the versions of the rest. */
const SOURCES = ['workflows', 'domain'];

/** Bundled workflow code, kept in `cacheDir` by the hash of its sources: the second start needs no bundler. */
export async function workflowBundle(
  cacheDir: string,
  plugins: BundlerPlugin[] = [],
): Promise<{ codePath: string }> {
  const variant = plugins.map((plugin) => `-${plugin.name}`).join('');
  const codePath = join(cacheDir, `workflows-${await sourceHash()}${variant}.js`);
  const cached = await readFile(codePath).catch(() => null);
  if (cached) return { codePath };
  const { code } = await bundleWorkflowCode({ workflowsPath: WORKFLOWS, logger: quiet, plugins });
  await mkdir(cacheDir, { recursive: true });
  const temporary = `${codePath}.${process.pid}`;
  await writeFile(temporary, code);
  await rename(temporary, codePath);
  return { codePath };
}

async function sourceHash(): Promise<string> {
  const hash = createHash('sha256').update(await readFile(join(ROOT, 'package-lock.json')));
  for (const folder of SOURCES) {
    const entries = await readdir(join(ROOT, folder), { recursive: true });
    for (const file of entries.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts')).sort()) {
      hash.update(file).update(await readFile(join(ROOT, folder, file)));
    }
  }
  return hash.digest('hex').slice(0, 16);
}

const nothing = (): void => undefined;
const quiet = {
  log: nothing,
  trace: nothing,
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: console.error,
};
