import { stopProcess } from './processes.ts';
import type { StackState } from './state.ts';

/**
 * Stops what a supervisor that was killed left behind: workers first, then the server. Each is matched by pid and
 * start time, so a stranger that got a pid since is left alone.
 */
export const stopOrphans = async ({ children }: StackState, graceMs = 5_000): Promise<void> => {
  const isServer = (child: { name: string }): boolean => child.name === 'server';
  await Promise.all(
    children.filter((child) => !isServer(child)).map((child) => stopProcess(child.process, graceMs)),
  );
  await Promise.all(children.filter(isServer).map((child) => stopProcess(child.process, graceMs)));
};
