import { expect, it } from 'vitest';
import { fresh } from '../measure.ts';
import { criticalPathMs } from '../workload.ts';
import type { Contestant } from './contestant.ts';
import { createLanggraph } from './langgraph.ts';
import { createPlain } from './plain.ts';

/** Nobody may be faster than the critical path: that would mean that waiting was skipped or counted twice. */
it.each<[string, () => Promise<Contestant>]>([
  ['plain', async () => createPlain()],
  ['langgraph', createLanggraph],
])('%s waits for model and tools', async (_, create) => {
  const contestant = await create();
  const work = fresh({ fanouts: 2, width: 3, turns: 3, modelMs: 30, toolMs: 10 });
  const start = performance.now();
  await contestant.run(work);
  // Timers may fire up to a millisecond early.
  expect(performance.now() - start).toBeGreaterThan(criticalPathMs(work) - 15);
  await contestant.close();
});
