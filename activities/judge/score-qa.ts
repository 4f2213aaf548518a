import { parseQaVerdict, qaJudgePrompt } from '../../domain/scoring/qa/judge.ts';
import { scoreQa } from '../../domain/scoring/qa/metrics.ts';
import type { QaQuestion } from '../datasets/question.ts';
import type { Findings } from './score-table.ts';
import type { JudgeSession } from './session.ts';

/**
 * Scores a single answer: `em`, `f1` and `cem` always, `accuracy` (the judge's verdict) where one can be had. An exact
 * match is right without a call. No answer is 0 everywhere and asks nobody.
 */
export async function scoreSingle(
  question: QaQuestion,
  prediction: string | null,
  session: JudgeSession,
): Promise<Findings> {
  const answers = [...question.answers];
  const found = (findings: Pick<Findings, 'status' | 'scores'>, rationale: string): Findings => ({
    ...findings,
    reason: null,
    table: null,
    qa: { prediction, answers, rationale },
  });
  const scores = scoreQa(prediction, answers);
  if (prediction === null || prediction.trim() === '')
    return found({ status: 'no_response', scores: { ...scores, accuracy: 0 } }, 'no answer, not asked');
  if (scores.em === 1)
    return found({ status: 'ok', scores: { ...scores, accuracy: 1 } }, 'exact match, not asked');

  const text = question.question;
  const verdicts = await session
    .decide({
      subjects: [{ kind: 'qa', question: text, answers, prediction }],
      messages: () => qaJudgePrompt(text, answers, prediction),
      read: (reply, positions) => {
        const verdict = parseQaVerdict(reply);
        if (verdict === null) return null;
        return new Map(
          positions.map((position) => [position, { value: verdict.score, rationale: verdict.rationale }]),
        );
      },
    })
    // The session keeps the failure; without a verdict there is no accuracy.
    .catch(() => new Map<number, { value: unknown; rationale: string }>());
  const verdict = verdicts.get(0);
  if (typeof verdict?.value !== 'number') return found({ status: 'ok', scores: { ...scores } }, 'no verdict');
  return found({ status: 'ok', scores: { ...scores, accuracy: verdict.value } }, verdict.rationale);
}
