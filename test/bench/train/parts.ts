import type { BenchOptions } from '../options.ts';
import { benchAsync, printAsync } from './async.ts';
import { benchBatch, printBatch } from './batch.ts';
import { benchEngine, printEngine } from './engine.ts';
import { benchFull, printFull } from './full.ts';

/** The parts about training that were asked for; each is printed as soon as it is there. */
export async function benchTraining(
  { parts, runs, train }: Pick<BenchOptions, 'parts' | 'runs' | 'train'>,
  log: (line: string) => void,
  print: (text: string) => void,
): Promise<Record<string, unknown>> {
  const figures: Record<string, unknown> = {};
  if (parts.has('train-async')) {
    const setting = {
      ...{ steps: runs === 1 ? 5 : 9, staleness: [0, 1, 4], batchGroups: 4, groupSize: 8 },
      ...{ rolloutMs: 600, passMs: 1_200 },
    };
    const rows = await benchAsync({ ...setting, log });
    figures.trainAsync = rows;
    print(printAsync(setting, rows));
  }
  if (parts.has('train-batch')) {
    const { groups } = train;
    const rows = await benchBatch({ runs, groups, log });
    figures.trainBatch = rows;
    print(printBatch(groups, rows));
  }
  if (parts.has('train-engine')) {
    const result = await benchEngine({ repeat: runs === 1 ? 2 : 5, log });
    figures.trainEngine = result;
    print(printEngine(result));
  }
  if (parts.has('train-full')) {
    const result = await benchFull({ ...train, log });
    figures.trainFull = result;
    print(printFull(train, result));
  }
  return figures;
}
