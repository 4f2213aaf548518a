import { expect, it } from 'vitest';
import { chooseRuns } from './retention.ts';
import type { RunRecord } from './run.ts';

const DAY = 86_400_000;
const now = 100 * DAY;
const run = (workflowId: string, startedAt: number, change: Partial<RunRecord> = {}): RunRecord => ({
  ...{ runId: workflowId.replaceAll('/', '-'), kind: 'seek', workflowId, title: '', config: 'ask' },
  ...{ status: 'ok', stopReason: 'answered', startedAt, finishedAt: startedAt + DAY, resultRef: null },
  ...change,
});
const choose = (runs: RunRecord[], open: Record<string, number> | null = {}) => {
  const choice = chooseRuns(runs, {
    ...{ now, cutoff: now - 30 * DAY, graceMs: DAY },
    open: open === null ? null : new Map(Object.entries(open)),
  });
  const ids = (groups: typeof choice.old) =>
    groups.flatMap((group) => group.runs.map((one) => one.workflowId));
  return { old: ids(choice.old).sort(), kept: ids(choice.kept).sort(), since: choice.keepSince / DAY };
};

it('lets go of what ended before the cutoff, and keeps what the kept runs may hold', () => {
  expect(choose([run('seek/a', 10 * DAY), run('seek/b', 69.5 * DAY), run('seek/c', 90 * DAY)])).toEqual({
    ...{ old: ['seek/a'], kept: ['seek/b', 'seek/c'], since: 68.5 },
  });
  expect(choose([])).toMatchObject({ since: 69 });
});

it('takes a run and what it started together', () => {
  const evaluation = run('eval/e', 10 * DAY, { kind: 'evaluate', finishedAt: 80 * DAY });
  const question = run('eval/e/q/0', 10 * DAY);
  expect(choose([question, evaluation]).old).toEqual([]);
  expect(choose([question, { ...evaluation, finishedAt: 20 * DAY }]).old).toEqual(['eval/e', 'eval/e/q/0']);
  expect(choose([question, run('eval/ee', 90 * DAY)]).old).toEqual(['eval/e/q/0']);
});

it('never lets go of what is open on the server, whatever the record says', () => {
  const resumed = run('seek/a', 10 * DAY, { status: 'partial' });
  expect(choose([resumed], { 'seek/a': 99 * DAY })).toMatchObject({ old: [], since: 9 });
  expect(choose([resumed], { 'seek/a/t1/sub/1-x': 99 * DAY }).old).toEqual([]);
  expect(choose([], { 'other/x': 20 * DAY }).since).toBe(19);
});

it('believes a record that says running where the server is unknown or the run is young', () => {
  const lost = run('seek/a', 10 * DAY, { status: 'running', finishedAt: null });
  expect(choose([lost], null).old).toEqual([]);
  expect(choose([lost]).old).toEqual(['seek/a']);
  const young = run('seek/b', now - DAY / 2, { status: 'running', finishedAt: null });
  const choice = chooseRuns([young], { now, cutoff: now, graceMs: DAY, open: new Map() });
  expect(choice.old).toEqual([]);
});
