/** A published result: percentages as printed, null where the table has none. */
export interface PublishedRow {
  system: string;
  setting: 'single agent' | 'multi-agent' | 'end-to-end product' | 'human';
  values: Readonly<Record<string, number | null>>;
}

export interface PublishedTable {
  id: string;
  /** Names of the data sets that the numbers were measured on; a run on another one is not comparable. */
  datasets: readonly string[];
  title: string;
  /** Column names in the order of print; the values' keys. */
  columns: readonly string[];
  source: string;
  rows: readonly PublishedRow[];
}

type Setting = PublishedRow['setting'];
type Line = readonly [system: string, ...values: (number | null)[]];

const rowsOf = (setting: Setting, columns: readonly string[], lines: readonly Line[]): PublishedRow[] =>
  lines.map(([system, ...values]) => ({
    system,
    setting,
    values: Object.fromEntries(columns.map((column, index) => [column, values[index] ?? null])),
  }));

/** Columns of the WideSearch tables and the metric of ours that each corresponds to. */
export const WIDESEARCH_COLUMNS = {
  'Item F1 avg@4': { metric: 'f1_by_item', over: 'avg' },
  'Item F1 max@4': { metric: 'f1_by_item', over: 'max' },
  'Row F1 avg@4': { metric: 'f1_by_row', over: 'avg' },
  'Row F1 max@4': { metric: 'f1_by_row', over: 'max' },
  'Success avg@4': { metric: 'score', over: 'avg' },
  'Success pass@4': { metric: 'score', over: 'pass' },
} as const;

const WIDE = Object.keys(WIDESEARCH_COLUMNS);
const QA = ['Avg', 'NQ', 'TriviaQA', 'PopQA', '2Wiki', 'HotpotQA', 'Bamboogle', 'MuSiQue'];
const OFFICIAL = [
  ...['Success avg@4', 'Success pass@4', 'Row F1 avg@4', 'Row F1 max@4', 'Item F1 avg@4', 'Item F1 max@4'],
  ...['searches', 'page reads'],
];

/** WideSeek-R1's results on WideSearch (200 questions, 4 samples each). */
export const WIDESEEK_WIDESEARCH: PublishedTable = {
  id: 'wideseek-r1-widesearch',
  datasets: ['widesearch'],
  title: 'WideSearch, as published with WideSeek-R1 (%, 4 samples a question)',
  columns: WIDE,
  source: 'WideSeek-R1, documentation page, table "WideSearch"',
  rows: [
    ...rowsOf('single agent', WIDE, [
      ['SingleSeek-R1-4B', 28.1, 39.2, 6.5, 12.5, 0.3, 1.0],
      ['Qwen3-4B', 20.1, 30.2, 3.0, 4.8, 0.0, 0.0],
      ['Search-R1-7B', 15.5, 24.4, 2.0, 4.4, 0.0, 0.0],
      ['ASearcher-7B', 16.5, 26.0, 2.8, 5.8, 0.0, 0.0],
      ['DeepSeek-R1-671B', 41.3, 55.1, 20.7, 31.7, 0.4, 1.5],
    ]),
    ...rowsOf('multi-agent', WIDE, [
      ['WideSeek-R1-4B', 40.0, 51.8, 15.3, 24.4, 0.4, 1.0],
      ['Qwen3-4B', 31.2, 42.3, 8.4, 15.5, 0.0, 0.0],
      ['AgentFlow-7B', 28.7, 45.4, 9.0, 20.2, 0.4, 1.5],
      ['OWL-8B', 20.2, 29.3, 3.1, 5.8, 0.0, 0.0],
      ['MiroFlow-8B', 23.7, 37.7, 5.8, 12.7, 0.4, 1.0],
    ]),
  ],
};

/** WideSeek-R1's results on the seven question sets, judged by a model. */
export const WIDESEEK_QA: PublishedTable = {
  id: 'wideseek-r1-qa',
  datasets: QA.slice(1).map((name) => name.toLowerCase()),
  title: 'Single answers, as published with WideSeek-R1 (%, judged accuracy, average of 4 samples)',
  columns: QA,
  source: 'WideSeek-R1, documentation page, table "Standard QA"',
  rows: [
    ...rowsOf('single agent', QA, [
      ['SingleSeek-R1-4B', 57.0, 58.8, 78.3, 48.0, 70.9, 62.1, 54.6, 26.5],
      ['Qwen3-4B', 48.3, 48.5, 68.7, 43.0, 58.9, 51.4, 48.2, 19.2],
      ['Search-R1-7B', 55.4, 49.9, 78.0, 55.7, 58.1, 60.8, 58.4, 27.1],
      ['ASearcher-7B', 61.0, 54.5, 79.3, 55.9, 77.6, 67.6, 60.0, 32.6],
    ]),
    ...rowsOf('multi-agent', QA, [
      ['WideSeek-R1-4B', 59.0, 56.1, 78.5, 48.5, 75.0, 64.2, 61.8, 28.9],
      ['Qwen3-4B', 51.3, 49.6, 70.7, 44.9, 65.0, 54.3, 52.6, 21.7],
      ['AgentFlow-7B', 61.0, 58.5, 87.0, 52.5, 77.2, 57.0, 69.6, 25.3],
      ['OWL-8B', 57.2, 64.0, 74.2, 52.2, 62.6, 61.0, 55.8, 30.4],
      ['MiroFlow-8B', 50.0, 50.9, 73.1, 42.8, 58.6, 52.4, 50.8, 21.3],
    ]),
  ],
};

/** The benchmark's own leaderboard; the human line is one value over 20 questions. */
export const WIDESEARCH_OFFICIAL: PublishedTable = {
  id: 'widesearch-official',
  datasets: ['widesearch'],
  title: 'WideSearch, as published with the benchmark (%, 4 samples a question)',
  columns: OFFICIAL,
  source: 'WideSearch, README, table 2',
  rows: [
    ...rowsOf('single agent', OFFICIAL, [
      ['Claude Sonnet 4 (Thinking)', 2.3, 9.0, 31.7, 44.1, 57.9, 70.3, 8.2, 3.42],
      ['Gemini 2.5 Pro', 1.5, 7.0, 30.0, 45.8, 51.0, 70.0, 7.48, 1.58],
      ['OpenAI o3-high', 4.5, 9.0, 34.0, 44.1, 52.6, 62.3, 13.26, 5.75],
      ['K2', 1.1, 6.0, 29.7, 43.7, 54.4, 70.5, 10.78, 2.22],
      ['DeepSeek-R1-0528', 0.4, 2.0, 20.7, 35.0, 41.3, 62.4, 2.91, 1.4],
      ['Doubao-1.6', 2.6, 6.0, 30.0, 46.2, 48.3, 68.9, 22.08, 1.14],
      ['Doubao-1.6-non-thinking', 1.0, 5.0, 27.2, 42.3, 49.0, 68.2, 8.01, 1.82],
    ]),
    ...rowsOf('multi-agent', OFFICIAL, [
      ['Claude Sonnet 4 (Thinking)', 3.6, 6.5, 38.5, 52.2, 62.2, 73.1, 27.64, 11.6],
      ['Gemini 2.5 Pro', 2.0, 6.5, 33.5, 44.6, 57.4, 66.3, 20.73, 4.72],
      ['OpenAI o3-high', 5.1, 9.5, 37.8, 50.5, 57.3, 68.9, 26.72, 16.29],
      ['K2', 3.0, 6.5, 36.2, 49.6, 61.2, 70.7, 28.79, 8.85],
      ['DeepSeek-R1-0528', 0.8, 3.0, 22.9, 36.6, 44.3, 60.3, 11.81, 7.02],
      ['Doubao-1.6', 2.5, 5.5, 34.0, 48.9, 54.6, 69.7, 52.34, 6.44],
      ['Doubao-1.6-non-thinking', 2.1, 4.5, 29.7, 42.7, 52.8, 65.1, 14.83, 5.18],
    ]),
    ...rowsOf('end-to-end product', OFFICIAL, [
      ['Claude Sonnet 4 (Thinking)', 2.5, 5.0, 24.1, 33.5, 48.4, 58.5],
      ['Gemini 2.5 Pro', 4.3, 8.0, 36.6, 45.4, 59.1, 67.2],
      ['OpenAI o3', 3.0, 5.5, 23.9, 36.0, 45.5, 56.5],
    ]),
    ...rowsOf('human', OFFICIAL, [['20 questions, one answer each', 20.0, null, 69.2, null, 82.4]]),
  ],
};

export const PUBLISHED: readonly PublishedTable[] = [WIDESEEK_WIDESEARCH, WIDESEARCH_OFFICIAL, WIDESEEK_QA];
