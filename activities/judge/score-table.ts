import { evaluateTable } from '../../domain/scoring/evaluate.ts';
import type { Compat } from '../../domain/scoring/conformance.ts';
import type { TableQuestion } from '../datasets/question.ts';
import type { ScoreDocument } from './document.ts';
import type { JudgeSession } from './session.ts';
import { createTableJudge } from './table-judge.ts';

/** What scoring finds out about one answer; the rest of its document is the same for every answer. */
export type Findings = Pick<ScoreDocument, 'status' | 'scores' | 'reason' | 'table' | 'qa'>;

/** Scores a table answer, as the text that the agent wrote. */
export async function scoreTable(
  question: TableQuestion,
  response: string | null,
  session: JudgeSession,
  options: { compat: Compat; lenientColumns: boolean },
): Promise<Findings> {
  const { record, goldCsv } = question;
  const evaluation = await evaluateTable(record, goldCsv, response, createTableJudge(session), options);
  const { status, metrics, rows, cells, missingRows, surplusRows, diagnostics } = evaluation;
  return {
    status,
    scores: metrics === null ? null : { ...metrics },
    reason: status === 'ok' ? null : diagnostics.join('; ') || null,
    table: { rows, cells, missingRows, surplusRows, diagnostics },
    qa: null,
  };
}
