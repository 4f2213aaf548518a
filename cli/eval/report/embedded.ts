import type { ScoreDocument } from '../../../activities/judge/document.ts';
import type { Table } from '../../../domain/run.ts';
import { primaryMetric } from '../../../domain/scoring/compare.ts';
import type { SampleRecord } from '../../../domain/scoring/samples.ts';
import type { AgentNode } from '../agents.ts';
import type { SampleDetail } from '../detail.ts';

/** What `client.js` reads. Keys are short because they repeat for every cell. */
export interface EmbeddedSample {
  n: number;
  status: string;
  reason: string;
  scores: Record<string, number> | null;
  stop: string | null;
  wallMs: number;
  turns: number;
  workflow: string;
  answer: string | null;
  table: Table | null;
  cells: ScoreCell[] | null;
  missing: string[][];
  surplus: string[][];
  /** Diagnostics, the judge's rationale and the run's own notes. */
  notes: string[];
  agents: AgentNode[];
  /** What was left out of this sample for size, in words. */
  cut: string;
}
type ScoreCell = NonNullable<ScoreDocument['table']>['cells'][number];

export interface EmbeddedQuestion {
  question: string;
  /** Accepted answers of a single-answer question. */
  answers: string[];
  gold: Table | null;
  samples: EmbeddedSample[];
}

/** A line of the list of questions. */
export interface IndexEntry {
  id: string;
  text: string;
  language: string;
  kind: string;
  /** Per sample: its mark in the list, and how it looks. */
  marks: { text: string; look: 'good' | 'bad' | '' }[];
  /** Mean of the primary metric over scored samples; null where there is none. */
  mean: number | null;
  statuses: string[];
}

const MAX_CELL = 400;
const MAX_TEXT = 4_000;
const MAX_ROWS = 200;
const MAX_CELLS = 2_000;
const MAX_AGENTS = 60;
const MAX_PAGES = 20;

const cut = (text: string, limit: number): string =>
  text.length > limit ? `${text.slice(0, limit).replace(/[\uD800-\uDBFF]$/, '')}…` : text;
const cell = (text: string): string => cut(text, MAX_CELL);

const tableOf = (table: Table | null | undefined): Table | null =>
  table
    ? { columns: table.columns.map(cell), rows: table.rows.slice(0, MAX_ROWS).map((row) => row.map(cell)) }
    : null;

const keysOf = (keys: readonly string[][] | undefined): string[][] =>
  (keys ?? []).slice(0, MAX_ROWS).map((key) => key.map(cell));

const shownCells = (score: ScoreDocument | null): ScoreCell[] | null =>
  score?.table?.cells.slice(0, MAX_CELLS).map(({ key, column, response, target, score: value, reason }) => ({
    ...{ key: key.map(cell), column: cell(column), score: value, reason: cell(reason) },
    response: response === null ? null : cell(response),
    target: target === null ? null : cell(target),
  })) ?? null;

const cutWords = (detail: SampleDetail, agents: readonly AgentNode[]): string => {
  const left = [
    [detail.result?.table?.rows.length ?? 0, MAX_ROWS, 'rows'],
    [detail.score?.table?.cells.length ?? 0, MAX_CELLS, 'verdicts'],
    [agents.length, MAX_AGENTS, 'agents'],
  ] as const;
  const over = left.flatMap(([have, limit, what]) => (have > limit ? [`${limit} of ${have} ${what}`] : []));
  return over.length > 0 ? `Shown: ${over.join(', ')}.` : '';
};

const embeddedSample = (
  sample: SampleRecord,
  detail: SampleDetail,
  agents: readonly AgentNode[],
): EmbeddedSample => {
  const { result, score } = detail;
  const absent = [
    ...(sample.resultRef && !result ? ['The stored result cannot be read.'] : []),
    ...(sample.scoreRef && !score ? ['The stored verdicts cannot be read.'] : []),
  ];
  return {
    n: sample.sample,
    status: sample.status,
    reason: cut(sample.reason, MAX_TEXT),
    scores: sample.scores,
    stop: sample.stopReason,
    wallMs: sample.wallMs,
    turns: sample.turns,
    workflow: sample.workflowId,
    answer: result && !result.table ? cut(result.answer, MAX_TEXT) : null,
    table: tableOf(result?.table),
    cells: shownCells(score),
    missing: keysOf(score?.table?.missingRows),
    surplus: keysOf(score?.table?.surplusRows),
    notes: [
      ...absent,
      ...(score?.table?.diagnostics ?? []),
      ...(score?.qa?.rationale ? [`Judge: ${score.qa.rationale}`] : []),
      ...(score?.judgeIncomplete ? ['Some texts were compared where a judge should have decided.'] : []),
      ...(result?.notes ?? []),
    ].map((note) => cut(note, MAX_CELL)),
    agents: agents.slice(0, MAX_AGENTS).map((agent) => ({
      ...agent,
      task: cut(agent.task, MAX_CELL),
      pages: agent.pages
        .slice(0, MAX_PAGES)
        .map(({ url, title }) => ({ url: cut(url, MAX_CELL), title: cut(title, 120) })),
    })),
    cut: cutWords(detail, agents),
  };
};

export interface Member {
  sample: SampleRecord;
  detail: SampleDetail;
  agents: AgentNode[];
}

const answersOf = ({ question }: SampleDetail): string[] => (question?.kind === 'qa' ? question.answers : []);

/** A question with all that the page can show of it. */
export const embeddedQuestion = (members: readonly Member[]): EmbeddedQuestion => {
  const first = members[0]?.detail;
  return {
    question: cut(first?.question?.question ?? '(the stored question cannot be read)', MAX_TEXT),
    answers: first ? answersOf(first).slice(0, 50).map(cell) : [],
    gold: tableOf(first?.gold),
    samples: members.map(({ sample, detail, agents }) => embeddedSample(sample, detail, agents)),
  };
};

/** The same in less space: only the first sample keeps its tables and verdicts, or, with `bare`, none does. */
export const slimmer = (question: EmbeddedQuestion, bare: boolean): EmbeddedQuestion => ({
  ...question,
  gold: bare ? null : question.gold,
  samples: question.samples.map((sample, index) =>
    index === 0 && !bare
      ? sample
      : {
          ...sample,
          ...{ table: null, cells: null, missing: [], surplus: [], agents: [] },
          answer: sample.answer && cut(sample.answer, 200),
          cut: 'Left out to keep this page small; allresult.json has the answers.',
        },
  ),
});

const lookOf = (sample: SampleRecord, value: number | undefined): 'good' | 'bad' | '' =>
  sample.scores === null || value === undefined ? '' : value >= 1 ? 'good' : value <= 0 ? 'bad' : '';

/** The line of a question in the list. */
export const indexEntry = (members: readonly Member[]): IndexEntry => {
  const samples = members.map(({ sample }) => sample);
  const metric = primaryMetric(samples.flatMap(({ scores }) => Object.keys(scores ?? {}))) ?? '';
  const values = samples.flatMap(({ scores }) => scores?.[metric] ?? []);
  return {
    id: samples[0]?.questionId ?? '',
    text: cut(members[0]?.detail.question?.question ?? '', 160),
    language: samples[0]?.language ?? '',
    kind: samples[0]?.kind ?? '',
    marks: samples.map((sample) => {
      const value = sample.scores?.[metric];
      return { text: value === undefined ? sample.status : value.toFixed(2), look: lookOf(sample, value) };
    }),
    mean: values.length > 0 ? values.reduce((sum, value) => sum + value, 0) / values.length : null,
    statuses: [...new Set(samples.map(({ status }) => status))],
  };
};
