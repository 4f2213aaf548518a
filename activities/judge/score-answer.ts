import type { JudgeConfig } from '../../configs/judge-schema.ts';
import type { WideseekError } from '../../domain/errors.ts';
import type { Compat } from '../../domain/scoring/conformance.ts';
import type { EvalQuestion } from '../datasets/question.ts';
import type { ChatModel } from '../model/port.ts';
import type { Store } from '../store/port.ts';
import type { ScoreDocument } from './document.ts';
import type { Answer } from './result.ts';
import { scoreSingle } from './score-qa.ts';
import { type Findings, scoreTable } from './score-table.ts';
import { type JudgeSession, type JudgeUsage, openJudgeSession } from './session.ts';
import { JUDGE_PROMPT_VERSION } from './verdicts.ts';

export interface ScoreTask {
  /** The run that the verdicts are filed under. */
  runId: string;
  question: EvalQuestion;
  answer: Answer;
  config: JudgeConfig;
  /** Null: no judge is configured. */
  model: ChatModel | null;
  compat: Compat;
  metricVersion: string;
}

export interface ScoredAnswer {
  document: ScoreDocument;
  usage: JudgeUsage;
  /** Why the judge could not be asked; a later attempt goes on from the verdicts that are already recorded. */
  outage: WideseekError | null;
}

/**
 * Scores one answer. An answer that could not be judged is `unscored` with a reason, never 0: the run had an outage, the
 * judge could not be reached, or (by configuration) its replies could not be read or there is none. Throws only when
 * cancelled.
 */
export async function scoreAnswer(
  store: Pick<Store, 'put' | 'journal'>,
  task: ScoreTask,
  signal: AbortSignal,
  onCall?: () => void,
): Promise<ScoredAnswer> {
  const { question, answer, config, model, compat } = task;
  const { concurrency, maxTokens } = config;
  const session = openJudgeSession({
    ...{ store, model, concurrency, maxTokens, signal, onCall },
    runId: task.runId,
  });
  const found =
    answer.kind === 'outage' ? unscored(question, answer.reason) : await findings(task, answer, session);
  signal.throwIfAborted();
  const doubt = doubtOf(task, session);
  const dropped = found.status !== 'unscored' && doubt !== null && doubt.unscored;
  return {
    document: {
      question: question.id,
      kind: question.kind,
      ...found,
      ...(dropped ? { status: 'unscored', scores: null } : {}),
      reason: found.reason === null || dropped ? (doubt?.reason ?? found.reason) : found.reason,
      judgeIncomplete: doubt !== null,
      compat,
      metricVersion: task.metricVersion,
      judge: { model: model?.name ?? null, promptVersion: JUDGE_PROMPT_VERSION },
      verdicts: session.audit(),
    },
    usage: session.usage,
    outage: session.outage(),
  };
}

function findings(
  { question, compat, config }: ScoreTask,
  answer: Extract<Answer, { kind: 'text' }>,
  session: JudgeSession,
): Promise<Findings> {
  const { lenientColumns } = config;
  return question.kind === 'table'
    ? scoreTable(question, answer.text, session, { compat, lenientColumns })
    : scoreSingle(question, answer.text, session);
}

const unscored = (question: EvalQuestion, reason: string): Findings => ({
  status: 'unscored',
  scores: null,
  reason,
  table: null,
  qa: question.kind === 'qa' ? { prediction: null, answers: question.answers, rationale: '' } : null,
});

/** What is doubtful about the numbers, and whether they are dropped for it. */
function doubtOf(
  { config, model }: ScoreTask,
  session: JudgeSession,
): { reason: string; unscored: boolean } | null {
  const outage = session.outage();
  if (outage !== null) return { reason: `the judge could not be asked: ${outage.message}`, unscored: true };
  const open = session.open();
  if (open === 0) return null;
  const what = `${open} ${open === 1 ? 'verdict is' : 'verdicts are'} missing`;
  if (model === null)
    return { reason: `${what}: no judge is configured`, unscored: config.missing === 'unscored' };
  return {
    reason: `${what}: the judge's replies could not be read`,
    unscored: config.unreadable === 'unscored',
  };
}
