/** One measurement in a process of its own: `node --import tsx test/bench/train/batch-one.ts '<shape as JSON>' BUDGET`. */
import { buildBatch } from '../../../domain/rl/batch.ts';
import { packBalanced } from '../../../domain/rl/packing.ts';
import { PRESETS } from '../../../domain/rl/presets.ts';
import { type BatchShape, makeRollouts } from './make-rollouts.ts';

const shape = JSON.parse(process.argv[2] ?? 'null') as BatchShape;
const budget = Number(process.argv[3]);
const groups = makeRollouts(shape);
const rssBefore = process.memoryUsage().rss;
const started = performance.now();
const { sequences, stats } = buildBatch(groups, PRESETS.wideseek.batch);
const built = performance.now();
const packing = packBalanced(
  sequences.map(({ tokens }) => tokens.length),
  budget,
);
const packed = performance.now();
console.log(
  JSON.stringify({
    buildSeconds: (built - started) / 1_000,
    packSeconds: (packed - built) / 1_000,
    sequences: sequences.length,
    bins: packing.bins.length,
    efficiency: packing.efficiency,
    tokensBefore: stats.tokensBefore,
    tokensAfter: stats.tokensAfter,
    rolloutsMb: rssBefore / 1e6,
    peakMb: process.resourceUsage().maxRSS / 1e3,
  }),
);
