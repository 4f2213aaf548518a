import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { comparisonTable, readSweep } from './agents.ts';

it('reads a sweep over agents and prints a row of means per question for each', () => {
  const folder = mkdtempSync(join(tmpdir(), 'agents-'));
  const write = (path: string, value: unknown): void => {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), JSON.stringify(value));
  };
  const mean = (value: number) => ({ avg: { mean: value } });
  write('s/sweep.json', {
    key: 'agents.workflow',
    points: [{ value: 'base', runId: 's-base', complete: true, modelCalls: 40, answerMs: 5_900 }],
  });
  write('s-base/metric.json', {
    dataset_size: 2,
    metrics: {
      ...{ avg_turns_per_traj: 20, avg_prompt_length: 1_000, avg_response_length: 50, traj_avg_search: 3 },
      ...{ traj_avg_access: 4, final_answer_format: 0.5 },
    },
    wideseek: {
      summary: { all: { metrics: { f1_by_item: mean(0.9), f1_by_row: mean(0.8), score: mean(0.5) } } },
    },
  });
  const row = comparisonTable(readSweep(join(folder, 's')))
    .split('\n')
    .at(-1);
  expect(row).toBe('| base | 0.900 | 0.800 | 0.500 | 50 % | 20.0 | 3.0 + 4.0 | 20k | 1.0k | 1.0k | 5.9 s |');
  expect(() => readSweep(folder)).toThrow(/sweep\.json/);
  rmSync(folder, { recursive: true });
});
