import { mkdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runConformance } from '../../activities/trainer/wire/conformance.ts';
import { installSkyrl } from './install.ts';
import { startSkyrl } from './server.ts';
import { skyrlTarget } from './target.ts';

/** Milliseconds for the whole suite: two slow cores compile for most of it. */
const LIMIT_MS = 60 * 60_000;

/**
 * Installs SkyRL's JAX backend below ~/.wideseek (1.1 GB, once), runs the conformance suite against it on the CPU and writes
 * what was found to docs/skyrl-conformance.json. Ends with 1 when a check failed or a declared fact is contradicted.
 */
async function main(): Promise<number> {
  const install = await installSkyrl(join(homedir(), '.wideseek', 'skyrl'));
  console.log('versions', install.versions);
  const server = await startSkyrl(install);
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.once(name, () => stop.abort(new Error(`stopped by ${name}`)));
  const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(LIMIT_MS)]);
  try {
    console.log('waiting for the engine');
    const record = await runConformance(
      () => skyrlTarget(server.url, server.baseModel),
      signal,
      (check) => console.log(`${check.status.padEnd(11)} ${check.id}: ${check.detail}`),
    );
    const file = fileURLToPath(new URL('../../docs/skyrl-conformance.json', import.meta.url));
    await mkdir(join(file, '..'), { recursive: true });
    await writeFile(file, `${JSON.stringify({ versions: install.versions, ...record }, null, 2)}\n`);
    console.log(`written to ${file}`);
    for (const line of record.contradictions) console.log(`contradicted: ${line}`);
    const failed = record.checks.some(({ status }) => status === 'fail');
    return failed || record.contradictions.length > 0 ? 1 : 0;
  } catch (error) {
    console.error(error);
    console.error(await server.log());
    return 1;
  } finally {
    await server.stop();
  }
}

process.exitCode = await main();
