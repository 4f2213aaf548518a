import { createHash } from 'node:crypto';

/** Variables that change what a worker does; those that only concern the command are left out. */
const CONCERNS = /^(WIDESEEK_(?!(HOME|DEBUG|SKIP_INSTALL)$)|QDRANT_|OTEL_)|_API_KEY$/;

const digest = (value: string): string => createHash('sha256').update(value).digest('hex').slice(0, 16);

/** What a worker's environment says, as name and digest: enough to see a difference, and no secret on disk. */
export const workerEnv = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value && CONCERNS.test(name) ? [[name, digest(value)] as const] : [],
    ),
  );

/** Names that differ between the environment of the running worker and this one. */
export const changedEnv = (running: Record<string, string>, env: NodeJS.ProcessEnv): string[] => {
  const own = workerEnv(env);
  return [...new Set([...Object.keys(running), ...Object.keys(own)])]
    .filter((name) => running[name] !== own[name])
    .sort();
};
