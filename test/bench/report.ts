import type { HistorySize } from './contestants/history.ts';
import type { CpuUse } from './cpu.ts';
import type { IndexResult } from './index/bench.ts';
import type { LatencyRow } from './latency.ts';
import { median } from './stats.ts';
import { printTable } from './table.ts';
import type { ThroughputRow } from './throughput.ts';
import { expectedCalls, type Shape } from './workload.ts';

const spread = (values: readonly number[], digits: number): string =>
  `${Math.min(...values).toFixed(digits)}–${Math.max(...values).toFixed(digits)}`;

const middle = (uses: readonly CpuUse[], read: (use: CpuUse) => number): number => median(uses.map(read));
const cpuOf = (uses: readonly CpuUse[], name: string): number =>
  middle(uses, ({ seconds }) => seconds[name] ?? 0);

/** What the rest of the machine did meanwhile: `1.2 (87%)` is 1.2 cores busy, something waiting 87% of the time. */
function neighbours(uses: readonly CpuUse[]): string {
  const cores = middle(uses, ({ othersCores }) => othersCores).toFixed(1);
  const stalled = uses.flatMap((use) => (use.stalled === null ? [] : [use.stalled]));
  return stalled.length === 0 ? cores : `${cores} (${(100 * median(stalled)).toFixed(0)}%)`;
}

export function printLatency(shape: Shape, rows: readonly LatencyRow[], history: HistorySize | null): string {
  const { model, tool } = expectedCalls(shape);
  const lines = [
    `(a) One question: ${shape.fanouts} × ${shape.width} subagents of ${shape.turns} turns; ` +
      `every contestant made ${model} model and ${tool} tool calls in every run (checked).`,
    'Ratio = wall clock ÷ critical path. CPU in seconds a question.',
  ];
  const paths = [...new Set(rows.map((row) => row.criticalPathMs))];
  for (const path of paths) {
    const own = rows.filter((row) => row.criticalPathMs === path);
    const { modelMs, toolMs } = own[0]!.latency;
    lines.push(
      '',
      `Model ${modelMs} ms, tool ${toolMs} ms: critical path ${(path / 1000).toFixed(2)} s`,
      printTable(
        [
          'contestant',
          'ratio',
          'min–max',
          'wall s',
          'server CPU',
          'worker CPU',
          'driver CPU',
          'others: cores (waiting)',
        ],
        own.map(({ contestant, ratios, uses }) => [
          contestant,
          median(ratios).toFixed(3),
          spread(ratios, 3),
          (middle(uses, ({ wallMs }) => wallMs) / 1000).toFixed(2),
          ...['server', 'worker', 'driver'].map((name) => cpuOf(uses, name).toFixed(2)),
          neighbours(uses),
        ]),
      ),
    );
  }
  if (history)
    lines.push(
      '',
      `History of one of our questions: ${history.workflows} workflows, ${history.events} events, ${(history.bytes / 1024).toFixed(0)} KB.`,
    );
  return lines.join('\n');
}

export function printThroughput(shape: Shape, rows: readonly ThroughputRow[]): string {
  const lines = [
    `(b) Agent turns per second, model and tools answer at once; questions of ${shape.fanouts} × ${shape.width} subagents of ${shape.turns} turns.`,
    'CPU in milliseconds a turn.',
    '',
    printTable(
      [
        'contestant',
        'at once',
        'turns/s',
        'min–max',
        'server CPU',
        'worker CPU',
        'driver CPU',
        'others: cores (waiting)',
      ],
      rows.map(({ contestant, concurrency, turns, rates, uses }) => [
        contestant,
        String(concurrency),
        median(rates).toFixed(0),
        spread(rates, 0),
        ...['server', 'worker', 'driver'].map((name) => ((1000 * cpuOf(uses, name)) / turns).toFixed(2)),
        neighbours(uses),
      ]),
    ),
  ];
  return lines.join('\n');
}

export function printIndex(result: IndexResult): string {
  const { passages, encoder, encode, build, search, recall } = result;
  return [
    `(c) Embedded index of ${passages} passages of the words of the sample corpus, encoder ${encoder}.`,
    '',
    printTable(
      ['what', 'rate', 'p50 ms', 'p99 ms', 'CPU ms each', 'others: cores (waiting)'],
      [
        [
          'encode passages',
          `${encode.perSecond.toFixed(0)}/s`,
          '',
          '',
          encode.cpuMs.toFixed(2),
          neighbours([encode.use]),
        ],
        [
          'build index',
          `${build.perSecond.toFixed(0)}/s`,
          '',
          '',
          build.cpuMs.toFixed(2),
          neighbours([build.use]),
        ],
        ...search.map((row) => [
          row.name,
          `${row.perSecond.toFixed(0)}/s`,
          row.p50.toFixed(1),
          row.p99.toFixed(1),
          row.cpuMs.toFixed(2),
          neighbours([row.use]),
        ]),
      ],
    ),
    '',
    `recall@10 against exact search, vectors alone: ${recall.toFixed(4)}`,
  ].join('\n');
}
