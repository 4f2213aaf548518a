/** The part of a history event that decides where a run is continued; event ids as the server numbers them. */
export type ResetEvent =
  | { kind: 'task'; id: number } // a completed workflow task
  | { kind: 'activity'; id: number; task: number } // work, and the workflow task that ordered it
  | { kind: 'child'; id: number; task: number }
  | { kind: 'failed' | 'ended'; work: number } // the end of that work
  | { kind: 'failedLocally'; task: number } // a local activity's failure, recorded by that workflow task
  | { kind: 'cancelRequested'; id: number };

type Work = Extract<ResetEvent, { id: number; task: number }>;
const isWork = (event: ResetEvent): event is Work => event.kind === 'activity' || event.kind === 'child';

/**
 * The completed workflow task to which a closed run is reset: what was before it is kept, its decisions are made
 * again. Null when there is none.
 * - A failed run goes back to the task that ordered the last work that failed, else the last work at all, so that
 *   this work is tried again rather than its failure read again.
 * - A run that was stopped from outside goes back to its last task, or further to the task that started the first
 *   child still open: children were stopped with it.
 * - A cancel request is never replayed.
 */
export const resetPoint = (events: readonly ResetEvent[], failed: boolean): number | null => {
  const cancel = events.find((event) => event.kind === 'cancelRequested');
  const tasks = events.flatMap((event) => (event.kind === 'task' ? [event.id] : []));
  const usable = cancel ? tasks.filter((id) => id < cancel.id) : tasks;
  const last = usable.at(-1);
  if (last === undefined) return null;
  const work = events.filter(isWork);
  const orderedBy = (id: number): number | undefined => work.find((each) => each.id === id)?.task;
  if (failed) {
    const failures = events.flatMap((event) =>
      event.kind === 'failed' ? [orderedBy(event.work)] : event.kind === 'failedLocally' ? [event.task] : [],
    );
    return Math.min(last, failures.at(-1) ?? work.at(-1)?.task ?? last);
  }
  const ended = new Set(events.flatMap((event) => ('work' in event ? [event.work] : [])));
  const open = work.filter(({ kind, id }) => kind === 'child' && !ended.has(id)).map(({ task }) => task);
  return Math.min(last, ...open);
};
