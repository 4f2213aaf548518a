import type { Contestant } from './contestants/contestant.ts';
import type { CpuUse } from './cpu.ts';
import { fresh, measure } from './measure.ts';
import { criticalPathMs, type Latency, type Shape } from './workload.ts';

export interface LatencyRow {
  contestant: string;
  latency: Latency;
  criticalPathMs: number;
  /** Wall clock ÷ critical path of each run. */
  ratios: number[];
  uses: CpuUse[];
}

/** Part (a): how much longer a question takes than its calls alone. The contestants take turns, `runs` rounds. */
export async function benchLatency(
  contestants: readonly Contestant[],
  options: { shape: Shape; latencies: readonly Latency[]; runs: number; log: (line: string) => void },
): Promise<LatencyRow[]> {
  const { shape, runs, log } = options;
  const rows: LatencyRow[] = [];
  for (const latency of options.latencies) {
    const path = criticalPathMs({ ...shape, ...latency });
    const own = contestants.map(({ name }): LatencyRow => ({
      contestant: name,
      latency,
      criticalPathMs: path,
      ratios: [],
      uses: [],
    }));
    for (let run = 1; run <= runs; run += 1) {
      for (const [index, contestant] of contestants.entries()) {
        log(`latency ${latency.modelMs}/${latency.toolMs} ms, run ${run} of ${runs}: ${contestant.name}`);
        const use = await measure(contestant, [[fresh({ ...shape, ...latency })]]);
        own[index]!.uses.push(use);
        own[index]!.ratios.push(use.wallMs / path);
      }
    }
    rows.push(...own);
  }
  return rows;
}
