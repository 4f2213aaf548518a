import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import { median } from '../stats.ts';
import { printTable } from '../table.ts';
import { type BatchShape, FULL } from './make-rollouts.ts';

const BUDGET = 32_000;
const ONE = fileURLToPath(new URL('./batch-one.ts', import.meta.url));

const figuresSchema = z.object({
  buildSeconds: z.number(),
  packSeconds: z.number(),
  sequences: z.number(),
  bins: z.number(),
  efficiency: z.number(),
  tokensBefore: z.number(),
  tokensAfter: z.number(),
  rolloutsMb: z.number(),
  peakMb: z.number(),
});
export interface BatchRow {
  name: string;
  runs: z.infer<typeof figuresSchema>[];
}

/** Batch building and packing of a whole published step, each run in a process of its own. */
export async function benchBatch(options: {
  runs: number;
  groups: number;
  log: (line: string) => void;
}): Promise<BatchRow[]> {
  const shapes: [string, BatchShape][] = [
    ['turns continue each other', { ...FULL, groups: options.groups }],
    ['one turn in ten starts anew', { ...FULL, groups: options.groups, rewrite: 0.1 }],
  ];
  const rows = shapes.map(([name]): BatchRow => ({ name, runs: [] }));
  for (let run = 0; run < options.runs; run += 1)
    for (const [index, [name, shape]] of shapes.entries()) {
      options.log(`batch building, run ${run + 1}: ${name}`);
      const { stdout } = await promisify(execFile)(process.execPath, [
        ...['--max-old-space-size=8192', '--import', import.meta.resolve('tsx')],
        ...[ONE, JSON.stringify(shape), String(BUDGET)],
      ]);
      rows[index]?.runs.push(figuresSchema.parse(JSON.parse(stdout)));
    }
  return rows;
}

export function printBatch(groups: number, rows: readonly BatchRow[]): string {
  return [
    `Batch building: ${groups * FULL.groupSize} rollouts × ${FULL.agents} agents × ${FULL.turns} turns, bins of ${BUDGET} tokens`,
    printTable(
      [
        'rollouts',
        'tokens before',
        'after/before',
        'build s',
        'pack s',
        'efficiency',
        'sequences',
        'rollouts MB',
        'peak MB',
      ],
      rows.map(({ name, runs }) => {
        const of = (pick: (one: BatchRow['runs'][number]) => number): number => median(runs.map(pick));
        return [
          name,
          `${(of((one) => one.tokensBefore) / 1e6).toFixed(1)}M`,
          of((one) => one.tokensAfter / one.tokensBefore).toFixed(3),
          of((one) => one.buildSeconds).toFixed(2),
          of((one) => one.packSeconds).toFixed(2),
          of((one) => one.efficiency).toFixed(4),
          String(of((one) => one.sequences)),
          of((one) => one.rolloutsMb).toFixed(0),
          of((one) => one.peakMb).toFixed(0),
        ];
      }),
    ),
  ].join('\n');
}
