import { fileURLToPath, pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { ensureInstalled } from './install.mjs';

export const root = fileURLToPath(new URL('../../', import.meta.url));

/** Runs `cli/main.ts` with these arguments, in this process: signals and the exit status need no forwarding. */
export const runCli = async (args) => {
  try {
    await ensureInstalled(root);
  } catch (error) {
    console.error(`error: ${error.message}`);
    process.exit(1);
  }
  const { register } = await import('tsx/esm/api');
  register();
  const entry = join(root, 'cli', 'main.ts');
  process.argv = [process.argv[0], entry, ...args];
  await import(pathToFileURL(entry).href);
};
