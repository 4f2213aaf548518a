import { z } from 'zod';
import { invalidInput } from '../errors.ts';
import { evaluateSteps } from './evaluate.ts';
import type { Evaluation, Metrics } from './evaluation.ts';
import { METRIC_NAMES, zeroMetrics } from './evaluation.ts';
import { readGold } from './gold.ts';
import { fakeJudge, fakeJudgeSchema } from './judge/fake.ts';
import { driveJudgeSync } from './judge/request.ts';
import type { Judgement } from './judge/request.ts';
import { evalRecordSchema } from './record.ts';
import { referenceSteps } from './reference/evaluate.ts';

export type Compat = 'default' | 'reference';

/** A line of the conformance corpus (section 13); further fields are ignored. */
export const caseSchema = z.object({
  id: z.string(),
  record: evalRecordSchema,
  gold_csv: z.string(),
  response_text: z.string().nullable(),
  fake_judge: fakeJudgeSchema.prefault({}),
});

export type CaseScore = { id: string; status: Evaluation['status'] } & Record<keyof Metrics, number | null>;

/**
 * Scores one line of a cases file with its fake judge. Numbers are null only where gold cannot be used; a recipe that
 * cannot work gives zeros under its own status, as the corpus expects.
 * @throws WideseekError InvalidInput where the line is no case.
 */
export function scoreCase(line: string, compat: Compat = 'default'): CaseScore {
  return runCase(line, compat).score;
}

/** `scoreCase` with the whole evaluation and the conversation with the judge. */
export function runCase(
  line: string,
  compat: Compat,
): { score: CaseScore; evaluation: Evaluation; judgements: Judgement[] } {
  const test = readCase(line);
  const steps =
    compat === 'reference'
      ? referenceSteps(test.record, test.gold_csv, test.response_text)
      : evaluateSteps(test.record, test.gold_csv, test.response_text, { onOutage: 'fallback' });
  const { result: evaluation, judgements } = driveJudgeSync(steps, fakeJudge(test.fake_judge));
  const rejected =
    compat === 'reference' || 'problem' in readGold(test.gold_csv, test.record.evaluation.required);
  const metrics = evaluation.metrics ?? (rejected ? null : zeroMetrics());
  const numbers = Object.fromEntries(
    METRIC_NAMES.map((name) => [name, metrics === null ? null : metrics[name]]),
  );
  return {
    score: { id: test.id, status: evaluation.status, ...(numbers as Record<keyof Metrics, number | null>) },
    evaluation,
    judgements,
  };
}

function readCase(line: string): z.infer<typeof caseSchema> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw invalidInput('case', 'is not JSON', 'A cases file holds one JSON object per line');
  }
  const parsed = caseSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw invalidInput(`case.${issue?.path.join('.') ?? ''}`, issue?.message ?? 'is not a case');
}
