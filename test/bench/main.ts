import { writeFile } from 'node:fs/promises';
import os from 'node:os';
import type { Contestant } from './contestants/contestant.ts';
import { createLanggraph } from './contestants/langgraph.ts';
import { createOurs, type Ours } from './contestants/ours.ts';
import { createPlain } from './contestants/plain.ts';
import { benchIndex } from './index/bench.ts';
import { benchLatency } from './latency.ts';
import { fresh } from './measure.ts';
import { type BenchOptions, readOptions, USAGE } from './options.ts';
import { benchPages, printPages } from './pages/bench.ts';
import { printIndex, printLatency, printThroughput } from './report.ts';
import { benchScorer, printScorer } from './scorer.ts';
import { benchThroughput } from './throughput.ts';
import { benchTraining } from './train/parts.ts';

const log = (line: string): void => console.error(`  ${line}`);
const print = (text: string): void => console.log(`\n${text}`);

/** Runs the parts and prints each as soon as it is there; progress goes to stderr. */
async function main(options: BenchOptions): Promise<void> {
  const { parts, shape, runs } = options;
  const machine = `${os.cpus().length} × ${os.cpus()[0]?.model.trim() || 'unknown CPU'}, Node ${process.version}, load ${os.loadavg()[0]!.toFixed(1)} at the start`;
  const figures: Record<string, unknown> = {
    machine,
    at: new Date().toISOString(),
    options: { ...options, parts: [...parts] },
  };
  print(`Machine: ${machine}. Medians of ${runs}; the contestants took turns.`);

  if (parts.has('a') || parts.has('b')) {
    await withContestants(options.only, async (contestants, ours) => {
      for (const contestant of contestants) await contestant.run(fresh({ ...shape, modelMs: 0, toolMs: 0 }));
      if (parts.has('a')) {
        const rows = await benchLatency(contestants, { shape, runs, log, latencies: options.latencies });
        const history = contestants.some(({ pids }) => 'server' in pids) ? await ours.lastHistory() : null;
        Object.assign(figures, { latency: rows, history });
        print(printLatency(shape, rows, history));
      }
      if (parts.has('b')) {
        const { concurrencies, perLane } = options;
        const rows = await benchThroughput(contestants, { shape, runs, log, concurrencies, perLane });
        Object.assign(figures, { throughput: rows });
        print(printThroughput(shape, rows));
      }
    });
  }
  if (parts.has('c')) {
    const result = await benchIndex({ ...options.index, log });
    Object.assign(figures, { index: result });
    print(printIndex(result));
  }
  if (parts.has('d')) {
    const rows = await benchScorer({ runs, log });
    Object.assign(figures, { scorer: rows });
    print(printScorer(rows));
  }
  if (parts.has('pages')) {
    const result = await benchPages({ runs, seconds: 2, log });
    Object.assign(figures, { pages: result });
    print(printPages(result));
  }
  Object.assign(figures, await benchTraining(options, log, print));
  if (options.json) await writeFile(options.json, `${JSON.stringify(figures, null, 2)}\n`);
}

async function withContestants(
  only: string,
  work: (all: Contestant[], ours: Ours) => Promise<void>,
): Promise<void> {
  const ours = await createOurs();
  const langgraph = await createLanggraph();
  try {
    const all = [ours.contestants.local, ours.contestants.remote, createPlain(), langgraph];
    const chosen = all.filter(({ name }) => name.includes(only));
    if (chosen.length === 0)
      throw new Error(`--only ${only}: the contestants are ${all.map(({ name }) => name).join('; ')}`);
    await work(chosen, ours);
  } finally {
    await langgraph.close();
    await ours.close();
  }
}

let options: BenchOptions;
try {
  options = readOptions(process.argv.slice(2));
} catch (error) {
  console.error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
  process.exit(2);
}
await main(options);
