/** Entry of the supervisor process: `node --import tsx infra/local/supervisor.ts '<options as JSON>'`. */
import { homePaths } from './home.ts';
import { tryLock } from './lock.ts';
import { supervise, supervisorOptionsSchema } from './supervise.ts';

const options = supervisorOptionsSchema.parse(JSON.parse(process.argv[2] ?? 'null'));
const lock = tryLock(homePaths(options.home).supervisorLock);
if (!lock) {
  console.error('another supervisor runs for this folder');
  process.exit(3);
}
const halt = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => halt.abort());

const reason = await supervise(options, halt);
if (reason !== null) console.error(`${new Date().toISOString()} gave up: ${reason}`);
lock.release();
process.exit(reason === null ? 0 : 1);
