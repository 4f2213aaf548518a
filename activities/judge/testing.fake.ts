import { asyncLocalStorage, Context, type Info } from '@temporalio/activity';
import { judgeSchema, type JudgeConfigInput } from '../../configs/judge-schema.ts';
import type { SeekResult } from '../../domain/run.ts';
import type { EvalQuestion } from '../datasets/question.ts';
import type { ChatModel } from '../model/port.ts';
import { METRIC_VERSION } from './document.ts';
import type { ScoreTask } from './score-answer.ts';

/** Runs an activity's function in a context of its own, as a worker would. */
export function inActivity<T>(
  body: () => Promise<T>,
  attempt = 1,
  signal = new AbortController().signal,
): Promise<T> {
  const info = { attempt } as Info;
  const unused = undefined as never;
  const context = new Context(
    info,
    new Promise<never>(() => undefined),
    signal,
    () => undefined,
    unused,
    unused,
    unused,
    unused,
  );
  return asyncLocalStorage.run(context, body);
}

/** Towns with a judged note. */
export const townQuestion = (rows = 'Bern,old\nThun,new\n'): EvalQuestion => ({
  id: 'towns',
  question: 'Which towns are there, and what are they like?',
  language: 'en',
  kind: 'table',
  record: {
    instance_id: 'towns',
    query: 'towns',
    language: 'en',
    evaluation: {
      required: ['town', 'note'],
      unique_columns: ['town'],
      eval_pipeline: {
        town: { preprocess: ['norm_str'], metric: ['exact_match'] },
        note: { preprocess: ['norm_str'], metric: ['llm_judge'], criterion: 'same meaning' },
      },
    },
  },
  goldCsv: `town,note\n${rows}`,
});

export const capitalQuestion: EvalQuestion = {
  id: 'capital',
  question: 'What is the capital of Chad?',
  language: 'en',
  kind: 'qa',
  answers: ["N'Djamena", 'Fort-Lamy'],
};

export const markdown = (rows: readonly (readonly string[])[], columns = ['town', 'note']): string =>
  [
    '```markdown',
    `| ${columns.join(' | ')} |`,
    '|---|---|',
    ...rows.map((row) => `| ${row.join(' | ')} |`),
    '```',
  ].join('\n');

export const resultWith = (change: Partial<SeekResult>): SeekResult => ({
  ...{ runId: 'run', question: 'q', language: 'en', status: 'ok', stopReason: 'answered', policy: 'canned' },
  ...{ table: null, answer: '', evidence: [], agents: 1, turns: 1, notes: [] },
  usage: { promptTokens: 0, completionTokens: 0, modelCalls: 0, searches: 0, pagesRead: 0, microUsd: 0 },
  ...change,
});

export const taskOf = (
  question: EvalQuestion,
  text: string | null,
  model: ChatModel | null,
  judge: JudgeConfigInput = {},
  change: Partial<ScoreTask> = {},
): ScoreTask => ({
  ...{ runId: 'run', question, model, compat: 'default', metricVersion: METRIC_VERSION },
  answer: { kind: 'text', text },
  config: judgeSchema.parse(judge),
  ...change,
});
