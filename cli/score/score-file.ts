import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { EvalQuestion } from '../../activities/datasets/question.ts';
import { METRIC_VERSION, type ScoreDocument } from '../../activities/judge/document.ts';
import { scoreAnswer, type ScoredAnswer, type ScoreTask } from '../../activities/judge/score-answer.ts';
import type { ChatModel } from '../../activities/model/port.ts';
import type { Store } from '../../activities/store/port.ts';
import type { JudgeConfig } from '../../configs/judge-schema.ts';
import { type Compat } from '../../domain/scoring/conformance.ts';
import type { ResponseRecord } from './responses.ts';
import { shortAnswer } from './responses.ts';

export interface ScoredResponse {
  trial: number;
  language: EvalQuestion['language'];
  document: ScoreDocument;
}

export interface ScoreFileOptions {
  store: Pick<Store, 'put' | 'journal'>;
  config: JudgeConfig;
  model: ChatModel | null;
  compat: Compat;
  signal: AbortSignal;
  /** Milliseconds before attempt `n`, from 1. Tests pass their own. */
  backoffMs?: (n: number) => number;
  onScored?: (done: number) => void;
}

/** Answers that are scored at once; the judge's own limit holds for each. */
const AT_ONCE = 4;
const MAX_WAIT_MS = 60_000;

/**
 * Scores stored answers in their order. Each waits for a judge that is down as its configuration says; once one answer
 * has waited in vain, the others try only once.
 */
export async function scoreResponses(
  responses: readonly { record: ResponseRecord; question: EvalQuestion }[],
  options: ScoreFileOptions,
): Promise<ScoredResponse[]> {
  const { config, model, compat, signal } = options;
  const limit = pLimit(AT_ONCE);
  let patience = config.attempts;
  let done = 0;

  const score = async (task: ScoreTask): Promise<ScoredAnswer> => {
    for (let attempt = 1; ; attempt += 1) {
      const scored = await scoreAnswer(options.store, task, signal);
      const { outage } = scored;
      if (outage === null) return scored;
      if (!outage.retryable || attempt >= patience) {
        patience = 1;
        return scored;
      }
      const wait = outage.details.retryAfterMs ?? (options.backoffMs ?? backoff)(attempt);
      await sleep(Math.min(wait, MAX_WAIT_MS), undefined, { signal });
    }
  };
  return Promise.all(
    responses.map(({ record, question }) =>
      limit(async () => {
        const text = question.kind === 'qa' ? shortAnswer(record.text) : record.text;
        const { document } = await score({
          ...{ question, config, model, compat, runId: 'score', metricVersion: METRIC_VERSION },
          answer: { kind: 'text', text },
        });
        options.onScored?.((done += 1));
        return { trial: record.trial, language: question.language, document };
      }),
    ),
  );
}

const backoff = (attempt: number): number => 1_000 * 2 ** (attempt - 1);
