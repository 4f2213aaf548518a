import { longTail } from '../../../activities/trainer/fake-engine.ts';
import type { StepDocument } from '../../../activities/trainer/records.ts';
import { printTable } from '../table.ts';
import { outcomeOf, withBenchWorld } from './world.ts';

export interface AsyncOptions {
  steps: number;
  /** η of each run; 0 is synchronous. */
  staleness: number[];
  batchGroups: number;
  groupSize: number;
  /** Median of a rollout's time, ms; log-normal with sigma 1. */
  rolloutMs: number;
  /** Of the training step's pass, ms. */
  passMs: number;
  log: (line: string) => void;
}

export interface AsyncRow {
  staleness: number;
  steps: number;
  /** Share of the time between the ends of steps in which the trainer waited. */
  idleShare: number;
  stepsPerHour: number;
  secondsPerStep: number;
  /** Mean age, in versions, of trained tokens, and the largest. */
  meanAge: number;
  maxAge: number;
}

/** Sums over steps after the first, whose wait has nothing to overlap with. */
export function rowOf(staleness: number, documents: readonly StepDocument[]): AsyncRow {
  const counted = documents.slice(1);
  const sum = (name: string): number => counted.reduce((all, { metrics }) => all + (metrics[name] ?? 0), 0);
  const ages = counted.flatMap((step) =>
    Object.entries(step.staleness).map(([age, tokens]) => [Number(age), tokens] as const),
  );
  const tokens = ages.reduce((all, [, count]) => all + count, 0);
  const seconds = ((documents.at(-1)?.at ?? 0) - (documents[0]?.at ?? 0)) / 1_000;
  const [waited, trained] = [sum('time/rollout'), sum('time/training')];
  return {
    staleness,
    steps: counted.length,
    idleShare: waited + trained === 0 ? 0 : waited / (waited + trained),
    stepsPerHour: seconds === 0 ? 0 : (3_600 * counted.length) / seconds,
    secondsPerStep: seconds / Math.max(1, counted.length),
    meanAge: tokens === 0 ? 0 : ages.reduce((all, [age, count]) => all + age * count, 0) / tokens,
    maxAge: Math.max(0, ...ages.map(([age]) => age)),
  };
}

/** The same training, once synchronous and once for each η, on a sampler and an engine of fixed speed. */
export async function benchAsync(options: AsyncOptions): Promise<AsyncRow[]> {
  const { steps, batchGroups, groupSize, rolloutMs, passMs, log } = options;
  const rows: AsyncRow[] = [];
  for (const staleness of options.staleness) {
    log(`training with staleness ${staleness}: ${steps} steps`);
    // A world of its own for each, so that each meets the same sequence of rollout times.
    rows.push(
      await withBenchWorld(
        {
          engine: { latency: { sample: longTail(rolloutMs, 1), pass: passMs } },
          questions: 16,
        },
        async ({ start, steps: stepsOfRun }) => {
          await outcomeOf(
            await start('bench', {
              ...{ steps, batchGroups, groupSize, maxStaleness: staleness },
              maxConcurrentGroups: 3 * batchGroups,
              // The policy stays as it is, so that groups keep their signal.
              'optimiser.schedule.peak': 1e-9,
            }),
          );
          return rowOf(staleness, await stepsOfRun('bench'));
        },
      ),
    );
  }
  return rows;
}

export function printAsync(options: Omit<AsyncOptions, 'log'>, rows: readonly AsyncRow[]): string {
  const { batchGroups, groupSize, rolloutMs, passMs } = options;
  return [
    `Training, asynchronous beside synchronous: ${batchGroups} × ${groupSize} rollouts a step, rollout time log-normal (median ${rolloutMs} ms, sigma 1), training pass ${passMs} ms`,
    printTable(
      ['staleness η', 'steps', 'trainer idle', 'steps/hour', 's a step', 'mean age', 'largest age'],
      rows.map((row) => [
        row.staleness === 0 ? '0 (synchronous)' : String(row.staleness),
        String(row.steps),
        `${(100 * row.idleShare).toFixed(0)}%`,
        row.stepsPerHour.toFixed(0),
        row.secondsPerStep.toFixed(2),
        row.meanAge.toFixed(2),
        String(row.maxAge),
      ]),
    ),
  ].join('\n');
}
