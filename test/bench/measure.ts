import type { Contestant } from './contestants/contestant.ts';
import { type CpuUse, meterCpu } from './cpu.ts';
import { expectedCalls, type Work } from './workload.ts';

/**
 * Runs every work of `lanes` at once, each lane one after the other, and says what it took. Throws unless the contestant
 * made exactly the calls that the works need: a contestant that skips work is not fast.
 */
export async function measure(contestant: Contestant, lanes: readonly (readonly Work[])[]): Promise<CpuUse> {
  await contestant.takeCounts();
  const stop = meterCpu(contestant.pids);
  await Promise.all(
    lanes.map(async (works) => {
      for (const work of works) await contestant.run(work);
    }),
  );
  const use = stop();
  const made = await contestant.takeCounts();
  const needed = lanes.flat().map(expectedCalls);
  for (const kind of ['model', 'tool'] as const) {
    const sum = needed.reduce((total, calls) => total + calls[kind], 0);
    if (made[kind] !== sum)
      throw new Error(`${contestant.name} made ${made[kind]} ${kind} calls, the work needs ${sum}`);
  }
  return use;
}

let salts = 0;
/** The same work as a question that nobody has asked before. */
export const fresh = (work: Omit<Work, 'salt'>): Work => ({ ...work, salt: `${process.pid}x${++salts}` });
