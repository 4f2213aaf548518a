import type { EvalQuestion } from '../../../activities/datasets/question.ts';
import type { ScoreDocument } from '../../../activities/judge/document.ts';
import { openStore } from '../../../activities/store/open.ts';
import type { Store } from '../../../activities/store/port.ts';
import type { AgentTurns, SeekResult } from '../../../domain/run.ts';
import { seededRandom } from '../../../domain/scoring/bootstrap.ts';
import {
  type EvaluationRecord,
  EVALUATIONS,
  sampleKey,
  type SampleRecord,
  samplesCollection,
} from '../../../domain/scoring/samples.ts';
import { countTurns } from '../../../domain/scoring/turn-counts.ts';

/** Text that would run or break out if any layer forgot to escape it. */
export const HOSTILE = `</script><script>window.pwned=1</script><img src=x onerror="window.pwned=2">'"\`\${1}<!--\u2028`;

export const evaluationOf = (change: Partial<EvaluationRecord> = {}): EvaluationRecord => ({
  ...{ runId: 'run-1', config: 'sample', dataset: 'sample', questions: 2, samples: 2, configHash: 'abc' },
  ...{ settings: { agents: { width: 4 } }, policy: 'extractive', startedAt: Date.UTC(2026, 0, 2, 3, 4, 5) },
  ...change,
});

export const sampleOf = (
  questionId: string,
  sample: number,
  change: Partial<SampleRecord> = {},
): SampleRecord => ({
  ...{ questionId, sample, language: 'en', kind: 'table', workflowId: `eval/run-1/${questionId}/${sample}` },
  ...{ questionRef: `q-${questionId}`, resultRef: null, stopReason: 'answered', status: 'ok', reason: '' },
  ...{
    scores: { score: 0, f1_by_row: 0.25, f1_by_item: 0.5 },
    scoreRef: null,
    agents: 3,
    turns: 7,
    wallMs: 1_500,
  },
  usage: { promptTokens: 900, completionTokens: 100, modelCalls: 10, searches: 4, pagesRead: 2, microUsd: 0 },
  ...change,
});

/** Stores an evaluation and its samples. */
export const putEvaluation = async (
  store: Pick<Store, 'documents'>,
  evaluation: EvaluationRecord,
  samples: readonly SampleRecord[],
): Promise<void> => {
  await store.documents.put(EVALUATIONS, evaluation.runId, evaluation);
  for (const sample of samples) {
    const key = sampleKey(sample.questionId, sample.sample);
    await store.documents.put(samplesCollection(evaluation.runId), key, sample);
  }
};

export interface MadeOptions {
  runId: string;
  questions: number;
  samples: number;
  /** Text in questions, answers, pages and verdicts. */
  text?: string;
}

/** A lead and its subagents, or a single agent: four turns each, three of them with one call. */
const teamOf = (workflowId: string, agents: number): AgentTurns[] =>
  Array.from({ length: agents }, (_, index) => {
    const main = index === agents - 1;
    const role = !main ? 'subagent' : agents === 1 ? 'single' : 'lead';
    const calls = { turns: 3, subtasks: 0, searches: 3, accesses: 0 };
    return {
      ...{ agentId: main ? workflowId : `${workflowId}/t2/sub/${index + 1}-abc`, role },
      ...{ startedIn: main ? 0 : 2, turns: 4, head: null },
      calls: role === 'lead' ? { ...calls, subtasks: 6, searches: 0 } : calls,
    };
  });

/** A store with a made-up evaluation: table and single-answer questions in both languages, some of them unscored. */
export const madeEvaluation = async (options: MadeOptions, given?: Store): Promise<Store> => {
  const store = given ?? (await openStore('sqlite::memory:'));
  const random = seededRandom(options.questions);
  const text = options.text ?? 'River';
  const samples: SampleRecord[] = [];
  for (let q = 0; q < options.questions; q += 1) {
    const id = `${q % 3 === 2 ? 'deep' : 'wide'}-${q + 1}`;
    const language = q % 4 === 3 ? ('zh' as const) : ('en' as const);
    const table = q % 3 !== 2;
    const question: EvalQuestion = table
      ? {
          ...{ kind: 'table', id, question: `${text}: list every river of region ${q}`, language },
          goldCsv: `name,length,mouth\n${Array.from({ length: 5 }, (_, n) => `River ${n},${n * 100},Sea ${n}`).join('\n')}\n`,
          record: {
            ...{ instance_id: id, query: '', language },
            evaluation: {
              required: ['name', 'length', 'mouth'],
              unique_columns: ['name'],
              eval_pipeline: {},
            },
          },
        }
      : { kind: 'qa', id, question: `${text}: who wrote book ${q}?`, language, answers: [text, 'Ada'] };
    const questionRef = await store.put(JSON.stringify(question));
    for (let n = 0; n < options.samples; n += 1) {
      const runId = `eval-${options.runId}-${id}-${n}`;
      const workflowId = `eval/${options.runId}/${id}/${n}`;
      const unscored = random() < 0.05;
      const share = Math.round(random() * 10) / 10;
      const agents = table ? 1 + Math.floor(random() * 10) : 1;
      const result: SeekResult = {
        ...{
          runId,
          question: question.question,
          language,
          status: 'ok',
          stopReason: 'answered',
          policy: 'fake',
        },
        table: table
          ? {
              columns: ['name', 'length', text],
              rows: [
                [text, '100', 'Sea'],
                ['River 1', '7', `日本 ${text}`],
              ],
            }
          : null,
        ...{ answer: table ? '' : text, evidence: [], agents, turns: agents * 4, notes: [text] },
        agentTurns: teamOf(workflowId, agents),
        usage: {
          promptTokens: 900,
          completionTokens: 90,
          modelCalls: 9,
          searches: 4,
          pagesRead: 2,
          microUsd: 0,
        },
      };
      const cells = ['River 1', text].flatMap((key) =>
        ['length', 'mouth'].map((column) => ({
          ...{ key: [key], column, response: text, target: column === 'mouth' ? null : '100' },
          ...{ score: random() < share ? 1 : 0, reason: `number_near: not within 5% ${text}` },
        })),
      );
      const scores: Record<string, number> = table
        ? { score: share === 1 ? 1 : 0, f1_by_row: share / 2, f1_by_item: share, precision_by_item: share }
        : { em: share > 0.5 ? 1 : 0, f1: share, cem: share > 0.5 ? 1 : 0, accuracy: share > 0.4 ? 1 : 0 };
      const document: ScoreDocument = {
        ...{ question: id, kind: question.kind, status: 'ok', scores, reason: null, judgeIncomplete: false },
        ...{
          compat: 'default',
          metricVersion: '1',
          judge: { model: null, promptVersion: '1' },
          verdicts: [],
        },
        table: table
          ? {
              ...{ rows: { answer: 2, gold: 5, joined: 2 }, cells, missingRows: [[`River 4 ${text}`]] },
              ...{ surplusRows: [[text]], diagnostics: [`dropped column ${text}`] },
            }
          : null,
        qa: table ? null : { prediction: text, answers: ['Ada'], rationale: text },
      };
      for (let page = 0; page < agents; page += 1) {
        const agentId = page === 0 ? workflowId : `${workflowId}/t2/sub/${page}-abc`;
        const url = page % 2 === 0 ? `https://example.org/${page}` : `javascript:window.pwned=3//${page}`;
        await store.pages.recordRead(runId, { agentId, url, title: text, ref: `page-${page}` });
      }
      samples.push({
        ...{ questionId: id, language, kind: question.kind, sample: n, workflowId, questionRef },
        resultRef: await store.put(JSON.stringify(result)),
        ...{ stopReason: random() < 0.8 ? 'answered' : 'turn_limit', status: unscored ? 'unscored' : 'ok' },
        reason: unscored ? `judge: connection refused ${text}` : '',
        scores: unscored ? null : scores,
        scoreRef: unscored ? null : await store.put(JSON.stringify(document)),
        ...{ usage: result.usage, agents, turns: agents * 4, wallMs: 2_000 + random() * 9_000 },
        turnCounts: countTurns(teamOf(workflowId, agents)),
      });
    }
  }
  const { runId, questions, samples: k } = options;
  await putEvaluation(store, evaluationOf({ runId, questions, samples: k }), samples);
  return store;
};
