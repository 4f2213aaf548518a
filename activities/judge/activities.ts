import { Context } from '@temporalio/activity';
import { type JudgeConfig, type JudgeConfigInput, judgeSchema } from '../../configs/judge-schema.ts';
import { invalidInput } from '../../domain/errors.ts';
import type { Compat } from '../../domain/scoring/conformance.ts';
import { evalQuestionSchema } from '../datasets/question.ts';
import { withTypedFailures } from '../failures.ts';
import type { ChatModel } from '../model/port.ts';
import type { Ref, Store } from '../store/port.ts';
import type { SampleStatus } from './document.ts';
import { readAnswer } from './result.ts';
import { scoreAnswer } from './score-answer.ts';
import type { JudgeUsage } from './session.ts';

export interface JudgeDeps {
  store: Pick<Store, 'get' | 'put' | 'journal'>;
  /** The model that a configuration leads to; null where there is none. Throws `ConfigError`. */
  judge: (config: JudgeConfig) => ChatModel | null;
}

export interface ScoreSampleInput {
  /** The run that the verdicts are filed under. */
  runId: string;
  /** Hash of the `EvalQuestion`'s JSON in the store. */
  questionRef: Ref;
  /** Hash of the `SeekResult`; null where the run left none. */
  resultRef: Ref | null;
  judge: JudgeConfigInput;
  compat: Compat;
  /** Kept in the score document; usually `METRIC_VERSION`. */
  metricVersion: string;
}

export interface SampleScore {
  status: SampleStatus;
  /** Null where the answer could not be scored. */
  scores: Record<string, number> | null;
  /** Hash of the `ScoreDocument` in the store. */
  scoreRef: Ref;
  /** Why there are no scores, or what to know about them. */
  reason: string | null;
  judgeIncomplete: boolean;
  /** What this attempt spent; verdicts that were already recorded cost nothing. */
  usage: JudgeUsage;
}

export type JudgeActivities = ReturnType<typeof createJudgeActivities>;

/** Scoring as an activity. */
export function createJudgeActivities({ store, judge }: JudgeDeps) {
  return {
    /**
     * Scores one stored answer. An unreachable judge fails the attempt with its typed failure, so that Temporal waits and
     * retries, until `judge.attempts` attempts were made; then, and at once where retrying cannot help, the sample is
     * `unscored`. Give the activity at least as many attempts. Verdicts survive every attempt.
     */
    scoreSample: withTypedFailures('judge', async (input: ScoreSampleInput): Promise<SampleScore> => {
      const { cancellationSignal, info, heartbeat } = Context.current();
      const config = readConfig(input.judge);
      const question = readQuestion(await store.get(input.questionRef), input.questionRef);
      const answer = await readAnswer(store, input.resultRef);
      const { document, usage, outage } = await scoreAnswer(
        store,
        { ...input, question, answer, config, model: judge(config) },
        cancellationSignal,
        () => heartbeat(),
      );
      if (outage?.retryable && info.attempt < config.attempts) throw outage;
      const { status, scores, reason, judgeIncomplete } = document;
      const scoreRef = await store.put(JSON.stringify(document));
      return { status, scores, scoreRef, reason, judgeIncomplete, usage };
    }),
  };
}

function readConfig(value: JudgeConfigInput): JudgeConfig {
  const parsed = judgeSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw invalidInput(`judge.${issue?.path.join('.') ?? ''}`, issue?.message ?? 'is wrong');
}

function readQuestion(text: string, ref: Ref): ReturnType<typeof evalQuestionSchema.parse> {
  const parsed = evalQuestionSchema.safeParse(JSON.parse(text));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw invalidInput(
    `questionRef ${ref}: ${issue?.path.join('.') ?? ''}`,
    issue?.message ?? 'is no question',
  );
}
