import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Root of the package: where `package.json` and `workers/` are. */
export const packageRoot = fileURLToPath(new URL('../../', import.meta.url));

/** Folder of everything that this machine remembers: `WIDESEEK_HOME`, else `~/.wideseek`. Absolute. */
export const wideseekHome = (env: NodeJS.ProcessEnv = process.env): string =>
  env.WIDESEEK_HOME ? resolve(env.WIDESEEK_HOME) : join(homedir(), '.wideseek');

/** Files and folders below a home; nothing is created here. */
export const homePaths = (home: string) => ({
  state: join(home, 'stack.json'),
  /** Held while somebody decides whether to start or stop the stack. */
  startLock: join(home, 'start.lock'),
  /** Held by the supervisor as long as it lives. */
  supervisorLock: join(home, 'supervisor.lock'),
  /** Exists while the stack stays up without clients. */
  keep: join(home, 'keep'),
  clients: join(home, 'clients'),
  logs: join(home, 'logs'),
  temporalDb: join(home, 'temporal.db'),
  storeDb: join(home, 'store.db'),
  index: join(home, 'index'),
  artifacts: join(home, 'artifacts'),
});
export type HomePaths = ReturnType<typeof homePaths>;

/** Address of the store: `WIDESEEK_STORE`, else SQLite in the home. */
export const storeUrl = (home: string, env: NodeJS.ProcessEnv = process.env): string =>
  env.WIDESEEK_STORE || `sqlite:${homePaths(home).storeDb}`;
