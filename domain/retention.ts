import type { RunRecord } from './run.ts';

export interface RetentionOptions {
  now: number;
  /** Runs that ended earlier may go. Milliseconds since the epoch. */
  cutoff: number;
  /** What was written so shortly ago stays whatever refers to it. Milliseconds. */
  graceMs: number;
  /** Workflows that are open on the server, with their start; null: unknown, and the records decide. */
  open: ReadonlyMap<string, number> | null;
}

/** A run with everything below it: questions of an evaluation, rollouts of a training. */
export interface RunGroup {
  root: RunRecord;
  runs: RunRecord[];
}

export interface RetentionChoice {
  /** Old and ended. */
  old: RunGroup[];
  kept: RunGroup[];
  /** Content written from here on stays: a run that stays may hold it without any record in the store. */
  keepSince: number;
}

/** Which runs may go by their age. A run goes with what it started, and stays while any of that is open. */
export function chooseRuns(runs: readonly RunRecord[], options: RetentionOptions): RetentionChoice {
  const { now, cutoff, graceMs, open } = options;
  const busy = openAncestry(open);
  const isRunning = ({ status, workflowId, startedAt }: RunRecord): boolean =>
    busy.has(workflowId) || (status === 'running' && (open === null || startedAt > now - graceMs));
  const [old, kept]: [RunGroup[], RunGroup[]] = [[], []];
  for (const group of groupRuns(runs)) {
    const stays = group.runs.some((run) => isRunning(run) || (run.finishedAt ?? run.startedAt) >= cutoff);
    (stays || busy.has(group.root.workflowId) ? kept : old).push(group);
  }
  const starts = [
    ...kept.flatMap((group) => group.runs.map(({ startedAt }) => startedAt)),
    ...(open?.values() ?? []),
  ];
  const keepSince = starts.reduce((first, at) => Math.min(first, at), Math.min(cutoff, now)) - graceMs;
  return { old, kept, keepSince };
}

/** Open workflows and all that they are part of: `a/b/c` says that `a/b` and `a` are open. */
function openAncestry(open: RetentionOptions['open']): Set<string> {
  const busy = new Set<string>();
  for (const id of open?.keys() ?? []) for (const prefix of prefixesOf(id)) busy.add(prefix);
  return busy;
}

function groupRuns(runs: readonly RunRecord[]): RunGroup[] {
  const byWorkflow = new Map(runs.map((run) => [run.workflowId, run]));
  const groups = new Map<RunRecord, RunGroup>();
  for (const run of runs) {
    const prefix = prefixesOf(run.workflowId).find((id) => byWorkflow.has(id));
    const root = (prefix === undefined ? undefined : byWorkflow.get(prefix)) ?? run;
    const group = groups.get(root) ?? { root, runs: [] };
    group.runs.push(run);
    groups.set(root, group);
  }
  return [...groups.values()];
}

/** `a`, `a/b`, `a/b/c`: shortest first, the whole last. */
const prefixesOf = (id: string): string[] => {
  const parts = id.split('/');
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
};
