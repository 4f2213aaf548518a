import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';

/**
 * Prints the comparison of docs/agents-comparison.md from the files of one sweep over agents:
 * `node --import tsx test/bench/agents.ts [folder of the sweep]`; without one, the newest in wideseek-runs/.
 */
const RUNS = 'wideseek-runs';

const sweepSchema = z.object({
  key: z.literal('agents.workflow'),
  points: z.array(
    z.object({
      value: z.string(),
      runId: z.string(),
      complete: z.boolean(),
      modelCalls: z.number(),
      answerMs: z.number(),
    }),
  ),
});
const mean = z.object({ avg: z.object({ mean: z.number() }) });
const metricSchema = z.object({
  dataset_size: z.number(),
  metrics: z.object({
    avg_turns_per_traj: z.number(),
    avg_prompt_length: z.number(),
    avg_response_length: z.number(),
    traj_avg_search: z.number(),
    traj_avg_access: z.number(),
    final_answer_format: z.number(),
  }),
  wideseek: z.object({
    summary: z.object({
      all: z.object({ metrics: z.object({ f1_by_item: mean, f1_by_row: mean, score: mean }) }),
    }),
  }),
});

export interface ComparedRun {
  agent: string;
  sweep: z.infer<typeof sweepSchema>['points'][number];
  metric: z.infer<typeof metricSchema>;
}

/** Reads a sweep's files. Throws with the path of what is missing or unreadable. */
export function readSweep(folder: string): ComparedRun[] {
  const { points } = sweepSchema.parse(JSON.parse(readFileSync(join(folder, 'sweep.json'), 'utf8')));
  return points.map((sweep) => {
    const file = join(folder, '..', sweep.runId, 'metric.json');
    return { agent: sweep.value, sweep, metric: metricSchema.parse(JSON.parse(readFileSync(file, 'utf8'))) };
  });
}

/** One Markdown row per agent; all figures are means per question. */
export function comparisonTable(runs: readonly ComparedRun[]): string {
  const rows = runs.map(({ agent, sweep, metric }) => {
    const { metrics, dataset_size: questions } = metric;
    const scores = metric.wideseek.summary.all.metrics;
    const calls = sweep.modelCalls / questions;
    return [
      sweep.complete ? agent : `${agent} (incomplete)`,
      ...[scores.f1_by_item, scores.f1_by_row, scores.score].map((one) => one.avg.mean.toFixed(3)),
      `${(metrics.final_answer_format * 100).toFixed(0)} %`,
      calls.toFixed(1),
      `${metrics.traj_avg_search.toFixed(1)} + ${metrics.traj_avg_access.toFixed(1)}`,
      `${((calls * metrics.avg_prompt_length) / 1000).toFixed(0)}k`,
      `${((calls * metrics.avg_response_length) / 1000).toFixed(1)}k`,
      `${(metrics.avg_prompt_length / 1000).toFixed(1)}k`,
      `${(sweep.answerMs / 1000).toFixed(1)} s`,
    ];
  });
  const head = [
    ...['agent', 'item F1', 'row F1', 'success', 'answers in form', 'turns', 'searches + pages'],
    ...['prompt tokens', 'generated', 'prompt of one turn', 'wall clock'],
  ];
  return [head, head.map((_, i) => (i === 0 ? '---' : '---:')), ...rows]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n');
}

const newest = (): string => {
  const found = readdirSync(RUNS)
    .filter((name) => name.endsWith('-sweep') || /-sweep-[a-z0-9]{4}$/.test(name))
    .sort()
    .at(-1);
  if (!found)
    throw new Error(
      `no sweep in ${RUNS}/; run: wideseek eval sample --sweep agents.workflow=mas,sa,base,reasoning`,
    );
  return join(RUNS, found);
};

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href)
  console.log(comparisonTable(readSweep(process.argv[2] ?? newest())));
