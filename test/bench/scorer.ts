import { evaluateTable } from '../../domain/scoring/evaluate.ts';
import { fakeJudge } from '../../domain/scoring/judge/fake.ts';
import { evalRecordSchema } from '../../domain/scoring/record.ts';
import { median } from './stats.ts';
import { printTable } from './table.ts';

export interface ScorerRow {
  rows: number;
  compat: 'default' | 'reference';
  /** CPU milliseconds of each run. */
  cpuMs: number[];
}

const SIZES = [10, 100, 1_000, 10_000];

const record = evalRecordSchema.parse({
  instance_id: 'bench',
  query: 'All towns with mayor, population and founding date',
  language: 'en',
  evaluation: {
    required: ['town', 'mayor', 'population', 'founded'],
    unique_columns: ['town'],
    eval_pipeline: {
      town: { preprocess: ['norm_str'], metric: ['exact_match'] },
      mayor: { preprocess: ['norm_str'], metric: ['exact_match'] },
      population: { preprocess: ['extract_number'], metric: ['number_near'], criterion: 0.05 },
      founded: { preprocess: ['norm_date'], metric: ['date_near'] },
    },
  },
});

const cells = (i: number): string[] => [
  `Town ${i}`,
  `Mayor ${i % 97}`,
  String(1_000 + i * 7),
  `${1700 + (i % 300)}-03-0${1 + (i % 9)}`,
];

/** Scores one table of each size in both modes; every tenth answer cell is wrong, so that nothing is trivially equal. */
export async function benchScorer(options: {
  runs: number;
  log: (line: string) => void;
}): Promise<ScorerRow[]> {
  const result: ScorerRow[] = [];
  const judge = fakeJudge({});
  for (const rows of SIZES) {
    const gold = [
      'town,mayor,population,founded',
      ...Array.from({ length: rows }, (_, i) => cells(i).join(',')),
    ].join('\n');
    const answer = Array.from({ length: rows }, (_, i) => {
      const [town, mayor, population, founded] = cells(i);
      return `| ${town} | ${i % 10 === 0 ? 'Nobody' : mayor} | ${population} | ${founded} |`;
    });
    const text = [
      '```markdown',
      '| Town | Mayor | Population | Founded |',
      '|---|---|---|---|',
      ...answer,
      '```',
    ].join('\n');
    for (const compat of ['default', 'reference'] as const) {
      options.log(`scorer, ${rows} rows, ${compat}`);
      const row: ScorerRow = { rows, compat, cpuMs: [] };
      for (let run = 0; run <= options.runs; run++) {
        const before = process.cpuUsage();
        const { status, metrics } = await evaluateTable(
          record,
          gold,
          text,
          async (request) => judge(request),
          { compat },
        );
        const { user, system } = process.cpuUsage(before);
        if (status !== 'ok' || metrics?.recall_by_row !== 0.9)
          throw new Error(`the scorer says ${status} ${metrics?.recall_by_row}`);
        if (run > 0) row.cpuMs.push((user + system) / 1000);
      }
      result.push(row);
    }
  }
  return result;
}

export function printScorer(rows: readonly ScorerRow[]): string {
  const lines = rows.map((row, index) => {
    const ms = median(row.cpuMs);
    const smaller = rows[index - 2];
    const growth = smaller ? (ms / median(smaller.cpuMs)).toFixed(1) : '';
    return [
      row.compat,
      String(row.rows),
      ms.toFixed(1),
      Math.round((row.rows / ms) * 1000).toLocaleString('en'),
      growth,
    ];
  });
  return [
    '(d) Scorer: four columns, no judge needed; the first run of each is not counted.',
    'Growth is the time of ten times as many rows: 10 is linear.',
    '',
    printTable(['mode', 'rows', 'CPU ms', 'rows/s', 'growth'], lines),
  ].join('\n');
}
