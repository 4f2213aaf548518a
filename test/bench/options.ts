import { parseArgs } from 'node:util';
import { z } from 'zod';
import type { Latency, Shape } from './workload.ts';

const USUAL = ['a', 'b', 'c', 'd', 'pages', 'train-async', 'train-batch', 'train-engine'] as const;
/** The last one takes too long to run unasked. */
const PARTS = [...USUAL, 'train-full'] as const;
export type Part = (typeof PARTS)[number];

export interface BenchOptions {
  parts: Set<Part>;
  shape: Shape;
  runs: number;
  latencies: Latency[];
  concurrencies: number[];
  perLane: number;
  index: { passages: number; encoded: number; queries: number };
  train: { steps: number; groups: number; groupSize: number; batchGroups: number };
  /** Part of the names of the contestants that take part; empty: all. */
  only: string;
  json: string | null;
}

export const USAGE = `npm run bench [-- a|b|c|d|pages|train-async|train-batch|train-engine|train-full …] [options]
  a  wall clock ÷ critical path of one question      b  agent turns per second      c  encoder and embedded index
  d  scorer: rows per second by table size
  pages  page extraction beside Readability alone, and what the caches save
  train-async   trainer idle share and steps an hour, synchronous beside asynchronous, long-tailed rollouts
  train-batch   building and packing a batch of 1,024 rollouts, 30 million tokens
  train-engine  the local engine beside plain JAX (installs it where it is missing)
  train-full    only when named: whole steps of 128 × 8 rollouts, memory and histories
  --quick                 one run of everything, small sizes
  --json FILE             all figures, every run
  --only TEXT             contestants of (a) and (b) whose name holds TEXT, e.g. local, LangGraph
  --runs N                runs of each contestant, in turns (3)
  --fanouts N --width N --turns N   shape of a question (2, 5, 5)
  --latencies M/T,…       model/tool milliseconds of (a) (200/50,2000/300)
  --concurrency N,…       questions at once in (b) (1,10,50)
  --per-lane N            questions that each of them is followed by, itself included (2)
  --steps N --batch-groups N --group-size N   size of train-full (10, 128, 8)
  --passages N --encoded N --queries N   sizes of (c) (20000, 400, 300)`;

const whole = z.coerce.number().int().min(1);
const latency = z
  .string()
  .regex(/^[\d.]+\/[\d.]+$/, 'must look like 200/50')
  .transform((text): Latency => {
    const [modelMs = 0, toolMs = 0] = text.split('/').map(Number);
    return { modelMs, toolMs };
  });

/** Reads the command line. Throws with a text for the user where it is wrong. */
export function readOptions(args: string[]): BenchOptions {
  const text = { type: 'string' } as const;
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      quick: { type: 'boolean' },
      json: text,
      only: text,
      runs: text,
      fanouts: text,
      width: text,
      turns: text,
      latencies: text,
      concurrency: text,
      'per-lane': text,
      passages: text,
      encoded: text,
      queries: text,
      steps: text,
      'batch-groups': text,
      'group-size': text,
    },
  });
  const { quick = false } = values;
  const number = (name: Exclude<keyof typeof values, 'quick'>, usual: number): number => {
    const parsed = whole.safeParse(values[name] ?? usual);
    if (!parsed.success) throw new Error(`--${name} must be a whole number from 1, not ${values[name]}`);
    return parsed.data;
  };
  const parts = z.array(z.enum(PARTS)).safeParse(positionals);
  if (!parts.success)
    throw new Error(`there is no part ${positionals.join(' ')}; the parts are ${PARTS.join(', ')}`);
  const latencies = z.array(latency).safeParse((values.latencies ?? '200/50,2000/300').split(','));
  if (!latencies.success) throw new Error(`--latencies ${latencies.error.issues[0]!.message}`);
  const concurrencies = z
    .array(whole)
    .safeParse((values.concurrency ?? (quick ? '1,10' : '1,10,50')).split(','));
  if (!concurrencies.success) throw new Error('--concurrency must be whole numbers from 1, e.g. 1,10');
  return {
    parts: new Set(parts.data.length > 0 ? parts.data : USUAL),
    shape: { fanouts: number('fanouts', 2), width: number('width', 5), turns: number('turns', 5) },
    runs: number('runs', quick ? 1 : 3),
    latencies: latencies.data,
    concurrencies: concurrencies.data,
    perLane: number('per-lane', quick ? 1 : 2),
    index: {
      passages: number('passages', quick ? 2_000 : 20_000),
      encoded: number('encoded', quick ? 50 : 400),
      queries: number('queries', quick ? 50 : 300),
    },
    train: {
      steps: number('steps', quick ? 2 : 10),
      batchGroups: number('batch-groups', quick ? 8 : 128),
      groupSize: number('group-size', quick ? 4 : 8),
      groups: quick ? 16 : 128,
    },
    only: values.only ?? '',
    json: values.json ?? null,
  };
}
