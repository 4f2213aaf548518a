import type { Contestant } from './contestants/contestant.ts';
import type { CpuUse } from './cpu.ts';
import { fresh, measure } from './measure.ts';
import { expectedCalls, type Shape } from './workload.ts';

export interface ThroughputRow {
  contestant: string;
  /** Questions that were open at the same time. */
  concurrency: number;
  /** Agent turns of one run. */
  turns: number;
  /** Agent turns per second of each run. */
  rates: number[];
  uses: CpuUse[];
}

/**
 * Part (b): agent turns per second with a model and tools that answer at once. Every one of `concurrency` lanes asks
 * `perLane` questions, one after the other. The contestants take turns, `runs` rounds.
 */
export async function benchThroughput(
  contestants: readonly Contestant[],
  options: {
    shape: Shape;
    concurrencies: readonly number[];
    perLane: number;
    runs: number;
    log: (line: string) => void;
  },
): Promise<ThroughputRow[]> {
  const { shape, perLane, runs, log } = options;
  const rows: ThroughputRow[] = [];
  for (const concurrency of options.concurrencies) {
    const turns = concurrency * perLane * expectedCalls(shape).model;
    const own = contestants.map(({ name }): ThroughputRow => ({
      contestant: name,
      concurrency,
      turns,
      rates: [],
      uses: [],
    }));
    for (let run = 1; run <= runs; run += 1) {
      for (const [index, contestant] of contestants.entries()) {
        log(`throughput, ${concurrency} at once, run ${run} of ${runs}: ${contestant.name}`);
        const lane = () => Array.from({ length: perLane }, () => fresh({ ...shape, modelMs: 0, toolMs: 0 }));
        const use = await measure(contestant, Array.from({ length: concurrency }, lane));
        own[index]!.uses.push(use);
        own[index]!.rates.push(turns / (use.wallMs / 1000));
      }
    }
    rows.push(...own);
  }
  return rows;
}
